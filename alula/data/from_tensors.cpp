#include <cstring>

#include "alula/data/dataset.h"
#include "alula/data/position.h"
#include "alula/runtime/team.h"

namespace alula::data {
namespace {

/// What it takes to copy a row of so many bytes from anywhere in memory.
double nanoseconds_a_row(int64_t bytes) { return 10 + static_cast<double>(bytes) / 8; }

/// Rows of a column, in the order asked for.
Tensor picked(const Tensor& column, std::span<const int64_t> indices) {
  const Spec spec =
      column.spec().with(column.shape().with(0, static_cast<int64_t>(indices.size())));
  Tensor result = Tensor::uninitialized(spec);
  const int64_t elements = column.shape().slice(1, column.rank()).size();
  if (elements == 0) return result;
  if (column.dtype() == string) {
    const auto from = column.span<std::string>();
    auto* to = static_cast<std::string*>(result.mutable_data());
    for (const int64_t i : indices) to = std::copy_n(from.begin() + i * elements, elements, to);
    return result;
  }
  const auto row = elements * static_cast<int64_t>(size_of(column.dtype()));
  const auto* from = static_cast<const char*>(column.data());
  auto* to = static_cast<char*>(result.mutable_data());
  team::parallel_for(static_cast<int64_t>(indices.size()), nanoseconds_a_row(row),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i)
                         std::memcpy(to + i * row, from + indices[static_cast<size_t>(i)] * row,
                                     static_cast<size_t>(row));
                     });
  return result;
}

class SlicesWalk final : public PositionWalk {
 public:
  SlicesWalk(const Stage& stage, const Row& columns, int64_t count)
      : PositionWalk(stage, count), columns_(columns) {}

  bool next(Row& row) override {
    if (at_.left() == 0) return false;
    const int64_t i = at_.take(1);
    row.clear();
    for (const Tensor& column : columns_)
      row.push_back(column.rows(i, i + 1).reshaped(column.shape().slice(1, column.rank())));
    return true;
  }
  /// Nothing is copied where the rows of all elements lie together.
  int64_t next_block(int64_t count, Row& block, std::exception_ptr&) override {
    const int64_t given = std::min(count, at_.left()), begin = at_.take(given);
    block = rows_of(columns_, begin, begin + given);
    return given;
  }

 private:
  const Row& columns_;
};

class Slices final : public Stage, public Indexed {
 public:
  Slices(ElementSpec spec, Row columns, int64_t count)
      : Stage("from_tensor_slices", std::move(spec)), columns_(std::move(columns)), count_(count) {}

  int64_t cardinality() const override { return count_; }
  WalkRef walk(const Context&) const override {
    if (place().starts_with("on /")) set_place("");  // now they are read here
    return std::make_unique<SlicesWalk>(*this, columns_, count_);
  }
  std::string parameters() const override { return fmt::format(": {} elements", count_); }
  const Indexed* indexed() const override { return this; }
  int64_t count() const override { return count_; }
  void pick(std::span<const int64_t> indices, Row& block) const override {
    block.clear();
    for (const Tensor& column : columns_) block.push_back(picked(column, indices));
  }
  const Row* columns() const override { return &columns_; }

 private:
  Row columns_;
  int64_t count_;
};

}  // namespace

Dataset Dataset::from_tensor_slices(const Element& tensors) {
  require(!tensors.tensors().empty(), "from_tensor_slices: there is no tensor.");
  ElementSpec spec = tensors.spec();
  Row columns;
  for (Spec& each : spec.specs) {
    require(each.rank() > 0,
            "from_tensor_slices: a scalar has no slices. Got {}. Use from_tensors for one element.",
            tensors.spec());
    require(each.shape[0] == tensors.tensors()[0].shape()[0],
            "from_tensor_slices: the first dimensions differ. Got {}.", tensors.spec());
    each.shape = each.shape.slice(1, each.rank());
  }
  for (const Tensor& tensor : tensors.tensors()) columns.push_back(tensor.cpu());
  const int64_t count = columns[0].shape()[0];
  return Dataset(std::make_shared<Slices>(std::move(spec), std::move(columns), count));
}

Dataset Dataset::from_tensors(const Element& element) {
  require(!element.tensors().empty(), "from_tensors: there is no tensor.");
  Row columns;
  for (const Tensor& tensor : element.tensors()) {
    const Tensor host = tensor.cpu();
    columns.push_back(host.reshaped(Shape{1} + host.shape()));
  }
  return Dataset(std::make_shared<Slices>(element.spec(), std::move(columns), 1));
}

}  // namespace alula::data
