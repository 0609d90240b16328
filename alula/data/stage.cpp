#include "alula/data/stage.h"

#include <algorithm>
#include <cstring>

#include "alula/core/fingerprint.h"
#include "alula/data/blocks.h"

namespace alula::data {

Context Context::nested(uint64_t which) const {
  Context inner = *this;
  inner.keys = {random::mix(keys.unseeded, which), random::mix(keys.seeded, which)};
  return inner;
}

Context Context::with_block(int64_t count) const {
  Context other = *this;
  other.block = passes_over_errors ? 1 : count;
  return other;
}

Context Context::with_stop(std::stop_token token) const {
  Context other = *this;
  other.stop = std::move(token);
  return other;
}

Walk::Walk(const Stage& stage) : stage_(stage.shared_from_this()) {}

int64_t Walk::next_block(int64_t count, Row& block, std::exception_ptr& error) {
  Stack stack(*stage_, count);
  const int64_t taken = stack_singly(*this, count, stack, error);
  block = stack.take();
  return taken;
}

int64_t Walk::take_block(int64_t count, Row& block) {
  std::exception_ptr error;
  const int64_t taken = next_block(count, block, error);
  if (error != nullptr) std::rethrow_exception(error);
  return taken;
}

int64_t Walk::skip(int64_t count) {
  int64_t passed = 0;
  for (Row row; passed < count && next(row);) ++passed;
  return passed;
}

Stage::Stage(std::string name, ElementSpec spec, std::vector<StageRef> inputs)
    : name_(std::move(name)), spec_(std::move(spec)), inputs_(std::move(inputs)) {
  for (const StageRef& input : inputs_) step_ = std::max(step_, input->step_ + 1);
}

Context Stage::own(const Context& context) const { return context.nested(fingerprint(title())); }

std::string Stage::title() const { return fmt::format("{} (step {})", name_, step_); }

namespace {

void explain_to(const Stage& stage, int64_t block, const std::string& indent, std::string& text) {
  const int64_t inner = stage.input_block(block);
  for (size_t i = 0; i < stage.inputs().size(); ++i)
    explain_to(*stage.inputs()[i], inner, i + 1 == stage.inputs().size() ? indent : indent + "  ",
               text);
  const std::string place = stage.place();
  text += fmt::format("{}{}{}{}{}\n", indent, stage.name(), stage.details(block),
                      place.empty() ? "" : "; ", place);
}

}  // namespace

std::string explain(const Stage& last, int64_t block) {
  std::string text;
  explain_to(last, block, "", text);
  return text + fmt::format("gives {}\n", last.spec());
}

std::string signature(const Stage& last) {
  std::string text;
  for (const StageRef& input : last.inputs()) text += signature(*input);
  return text + fmt::format("{}{} -> {}\n", last.name(), last.parameters(), last.spec());
}

bool has_known_shapes(const ElementSpec& spec) {
  return std::all_of(spec.specs.begin(), spec.specs.end(),
                     [](const Spec& each) { return each.shape.is_known(); });
}

int64_t bytes_of(const Row& row) {
  int64_t bytes = 0;
  for (const Tensor& tensor : row) {
    bytes += tensor.bytes();
    if (tensor.dtype() == string && tensor.device().is_cpu())
      for (const std::string& text : tensor.span<std::string>())
        bytes += static_cast<int64_t>(text.size());
  }
  return bytes;
}

int64_t bytes_of(const ElementSpec& spec) {
  int64_t bytes = 0;
  for (const Spec& each : spec.specs)
    if (each.shape.is_known()) bytes += each.bytes();
  return bytes;
}

namespace {

/// Copies whole slices of a tensor, which may be on another device, into one of the host, from
/// slice `place` on.
void copy_slices(const Tensor& tensor, int64_t begin, int64_t end, Tensor& to, int64_t place,
                 int64_t slice_elements) {
  const Tensor from = tensor.cpu();
  const int64_t first = begin * slice_elements, count = (end - begin) * slice_elements;
  if (from.dtype() == string) {
    const auto texts = from.span<std::string>().subspan(static_cast<size_t>(first));
    std::copy_n(texts.begin(), count,
                static_cast<std::string*>(to.mutable_data()) + place * slice_elements);
    return;
  }
  const auto element = static_cast<int64_t>(size_of(from.dtype()));
  const char* source = static_cast<const char*>(from.data()) + first * element;
  char* target = static_cast<char*>(to.mutable_data()) + place * slice_elements * element;
  if (count > 0) std::memcpy(target, source, static_cast<size_t>(count * element));
}

}  // namespace

void Stack::begin(const Row& like, bool is_block) {
  columns_.clear();
  for (const Tensor& tensor : like) {
    const Shape& shape = tensor.shape();
    const Shape element = is_block ? shape.slice(1, shape.rank()) : shape;
    columns_.push_back(Tensor::uninitialized({tensor.dtype(), Shape{0} + element}));
  }
}

/// A reader may ask for many more elements than there are: columns that would be large grow.
void Stack::make_room(int64_t more) {
  if (size_ + more <= room_) return;
  constexpr int64_t kAtOnce = int64_t{16} << 20;
  int64_t row_bytes = 1;
  for (const Tensor& column : columns_)
    row_bytes += column.shape().slice(1, column.rank()).size() *
                 static_cast<int64_t>(size_of(column.dtype()));
  room_ = std::min(capacity_, std::max({size_ + more, 2 * room_, kAtOnce / row_bytes}));
  for (Tensor& column : columns_) {
    Tensor longer = Tensor::uninitialized({column.dtype(), column.shape().with(0, room_)});
    const int64_t slice = column.shape().slice(1, column.rank()).size();
    copy_slices(column, 0, size_, longer, 0, slice);
    column = std::move(longer);
  }
}

void Stack::add(const Row& row) {
  if (size_ == 0) begin(row, false);
  require<InternalError>(row.size() == columns_.size(), "{}: an element has {} tensors, not {}.",
                         who_.title(), row.size(), columns_.size());
  make_room(1);
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Tensor part = row[i].cpu();
    const Shape& whole = columns_[i].shape();
    require(part.shape() == whole.slice(1, whole.rank()) && part.dtype() == columns_[i].dtype(),
            "{}: element {}{} cannot be stacked with those before it: it is {}, they are {}. Use "
            "padded_batch, or bring all elements to one shape with map.",
            who_.title(), first_ == kUnknown ? size_ : first_ + size_,
            first_ == kUnknown ? " of a batch" : "", part.spec(),
            columns_[i].spec().with(whole.slice(1, whole.rank())));
    copy_slices(part, 0, 1, columns_[i], size_, part.size());
  }
  ++size_;
}

void Stack::add(const Row& block, int64_t first, int64_t last) {
  if (size_ == 0) begin(block, true);
  make_room(last - first);
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Shape &part = block[i].shape(), &whole = columns_[i].shape();
    require(part.slice(1, part.rank()) == whole.slice(1, whole.rank()),
            "{}: elements of {} and {} cannot be stacked.", who_.title(), block[i].spec(),
            columns_[i].spec());
    const int64_t slice = whole.slice(1, whole.rank()).size();
    copy_slices(block[i], first, last, columns_[i], size_, slice);
  }
  size_ += last - first;
}

Row Stack::take() {
  if (size_ == room_ || columns_.empty()) return std::move(columns_);
  return rows_of(columns_, 0, size_);
}

Row row_of(const Row& block, int64_t i) {
  Row row;
  row.reserve(block.size());
  for (const Tensor& column : block) {
    Tensor copy = Tensor::uninitialized({column.dtype(), column.shape().slice(1, column.rank())});
    copy_slices(column, i, i + 1, copy, 0, copy.size());
    row.push_back(std::move(copy));
  }
  return row;
}

Row rows_of(const Row& block, int64_t begin, int64_t end) {
  Row rows;
  rows.reserve(block.size());
  for (const Tensor& column : block) rows.push_back(column.cpu().rows(begin, end));
  return rows;
}

namespace {

void check_restored(const Row& row, const ElementSpec& spec, const Shape& leading) {
  bool fits = row.size() == spec.specs.size();
  for (size_t i = 0; fits && i < row.size(); ++i)
    fits = row[i].dtype() == spec.specs[i].dtype &&
           compatible(row[i].shape(), leading + spec.specs[i].shape);
  require<DataLossError>(fits, "iterator: the saved state holds other elements than {}.", spec);
}

}  // namespace

Row read_row(StateReader& state, const ElementSpec& spec) {
  Row row = state.tensors();
  check_restored(row, spec, {});
  return row;
}

Row read_block(StateReader& state, const ElementSpec& spec, int64_t& count) {
  Row block = state.tensors();
  count = block.empty() || block[0].rank() == 0 ? 0 : block[0].shape()[0];
  if (!block.empty()) check_restored(block, spec, {count});
  return block;
}

void check_may_be_saved(const std::exception_ptr& error) {
  require<FailedPreconditionError>(error == nullptr,
                                   "iterator: an element that was made ahead has failed. Read on "
                                   "to its error before saving.");
}

namespace {

template <class E, class... Others>
[[noreturn]] void rethrow_as(const std::string& where, const Error& error) {
  if (dynamic_cast<const E*>(&error) != nullptr) throw E(where + error.what());
  if constexpr (sizeof...(Others) > 0)
    rethrow_as<Others...>(where, error);
  else
    throw InternalError(where + error.what());
}

}  // namespace

void rethrow_from(const std::string& where) {
  try {
    throw;
  } catch (const Error& error) {
    rethrow_as<InvalidArgumentError, NotFoundError, OutOfRangeError, ResourceExhaustedError,
               FailedPreconditionError, UnimplementedError, DataLossError, UnknownError>(where,
                                                                                         error);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    const HostErrors* host = host_errors();
    if (host == nullptr || !host->is_one(error)) throw UnknownError(where + error.what());
    host->add_note(error, where.substr(0, where.find_last_not_of(": ") + 1));
    throw;
  } catch (...) {
    throw UnknownError(where + "an exception that is no std::exception.");
  }
}

}  // namespace alula::data
