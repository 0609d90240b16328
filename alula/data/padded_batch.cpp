#include <algorithm>
#include <cstring>
#include <limits>

#include "alula/data/batches.h"
#include "alula/data/blocks.h"
#include "alula/data/dataset.h"
#include "alula/data/one_input.h"

namespace alula::data {
namespace {

/// Calls `copy(from, to, count)` for the pieces of a tensor of shape `inner` that lie together when
/// it is put into the corner of a larger one: where each begins in both, in elements.
template <class F>
void for_each_piece(const Shape& inner, const Shape& outer, const F& copy) {
  if (inner.size() == 0) return;
  int axis = inner.rank();
  int64_t piece = 1;  // the innermost dimensions that need no padding, and one that may
  while (axis > 0 && inner[axis - 1] == outer[axis - 1]) piece *= inner[--axis];
  if (axis > 0) piece *= inner[--axis];
  const Shape places = inner.slice(0, axis);
  const int64_t pieces = places.size();
  for (int64_t i = 0; i < pieces; ++i) {
    int64_t rest = i, to = 0, stride = outer.slice(axis, outer.rank()).size();
    for (int d = axis - 1; d >= 0; --d) {
      to += rest % places[d] * stride;
      rest /= places[d];
      stride *= outer[d];
    }
    copy(i * piece, to, piece);
  }
}

/// Writes a value again and again, or nothing where all its bytes are those of a fresh string.
void fill(Tensor& tensor, const Tensor& value) {
  if (tensor.dtype() == string) {
    auto* to = static_cast<std::string*>(tensor.mutable_data());
    std::fill_n(to, tensor.size(), value.span<std::string>()[0]);
    return;
  }
  const size_t element = size_of(tensor.dtype());
  auto* to = static_cast<char*>(tensor.mutable_data());
  const auto* from = static_cast<const char*>(value.data());
  if (std::all_of(from, from + element, [](char byte) { return byte == 0; })) {
    std::memset(to, 0, static_cast<size_t>(tensor.bytes()));
    return;
  }
  for (int64_t i = 0; i < tensor.size(); ++i, to += element) std::memcpy(to, from, element);
}

/// Puts a tensor into a corner of slice `place`.
void put(const Tensor& tensor, Tensor& to, int64_t place) {
  const Tensor from = tensor.cpu();
  const Shape outer = to.shape().slice(1, to.rank());
  const int64_t first = place * outer.size();
  if (from.dtype() == string) {
    const auto texts = from.span<std::string>();
    auto* target = static_cast<std::string*>(to.mutable_data()) + first;
    for_each_piece(from.shape(), outer, [&](int64_t begin, int64_t at, int64_t count) {
      std::copy_n(texts.begin() + begin, count, target + at);
    });
    return;
  }
  const auto element = static_cast<int64_t>(size_of(from.dtype()));
  const auto* source = static_cast<const char*>(from.data());
  auto* target = static_cast<char*>(to.mutable_data()) + first * element;
  for_each_piece(from.shape(), outer, [&](int64_t begin, int64_t at, int64_t count) {
    std::memcpy(target + at * element, source + begin * element,
                static_cast<size_t>(count * element));
  });
}

struct Padding {
  std::vector<Shape> shapes;  // of each tensor; unknown dimensions are the largest in a batch
  Row values;
};

class PaddedBatchWalk final : public InputWalk {
 public:
  PaddedBatchWalk(const Stage& stage, WalkRef input, const Batches& batches, const Padding& padding)
      : InputWalk(stage, std::move(input)), batches_(batches), padding_(padding) {}

  bool next(Row& batch) override {
    std::vector<Row> rows;
    std::exception_ptr error;
    fill_block(batches_.size, error, [&](int64_t) {
      Row row;
      if (!input_->next(row)) return 0;
      rows.push_back(std::move(row));
      return 1;
    });
    if (error != nullptr) std::rethrow_exception(error);
    if (!batches_.gives(std::ssize(rows))) return false;
    batch.clear();
    for (size_t i = 0; i < padding_.shapes.size(); ++i) batch.push_back(padded(rows, i));
    return true;
  }

 private:
  /// The shape that holds all elements' tensor number `i`.
  Shape shape_of(const std::vector<Row>& rows, size_t i) const {
    const Shape& wanted = padding_.shapes[i];
    Shape shape = wanted;
    for (int axis = 0; axis < shape.rank(); ++axis)
      for (const Row& row : rows) {
        const int64_t dim = row[i].shape()[axis];
        require(wanted[axis] == kUnknown || dim <= wanted[axis],
                "{}: an element is larger than what it is to be padded to. Got {}, to be padded to "
                "{}. Use a larger padded_shapes, or an unknown dimension.",
                stage().title(), row[i].spec(), wanted);
        shape[axis] = std::max(shape[axis], dim);
      }
    return shape;
  }
  Tensor padded(const std::vector<Row>& rows, size_t i) const {
    const Shape shape = shape_of(rows, i);
    Tensor result = Tensor::uninitialized({rows[0][i].dtype(), Shape{std::ssize(rows)} + shape});
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const Row& row) { return row[i].shape() != shape; }))
      fill(result, padding_.values[i]);
    for (size_t place = 0; place < rows.size(); ++place)
      put(rows[place][i].cpu(), result, static_cast<int64_t>(place));
    return result;
  }

  Batches batches_;
  const Padding& padding_;
};

ElementSpec batched(const Stage& input, const Padding& padding, const Batches& batches) {
  ElementSpec spec = input.spec();
  for (size_t i = 0; i < spec.specs.size(); ++i)
    spec.specs[i].shape = Shape{batches.dimension(input.cardinality())} + padding.shapes[i];
  return spec;
}

class PaddedBatched final : public Stage {
 public:
  PaddedBatched(const StageRef& input, const Batches& batches, const Padding& padding)
      : Stage("padded_batch", batched(*input, padding, batches), {input}),
        batches_(batches),
        padding_(padding) {}

  int64_t cardinality() const override { return batches_.of(input().cardinality()); }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<PaddedBatchWalk>(*this, input().walk(context.with_block(1)), batches_,
                                             padding_);
  }
  std::string parameters() const override { return fmt::format("({})", batches_.size); }

 private:
  Batches batches_;
  Padding padding_;
};

std::vector<Shape> checked_shapes(const ElementSpec& spec, const std::vector<Shape>& wanted) {
  std::vector<Shape> shapes;
  require(wanted.empty() || wanted.size() == spec.specs.size(),
          "padded_batch: padded_shapes takes one shape for each of the {} tensors of {}. Got {}.",
          spec.specs.size(), spec, wanted.size());
  for (size_t i = 0; i < spec.specs.size(); ++i) {
    const Shape& element = spec.specs[i].shape;
    const Shape& shape = wanted.empty() ? element : wanted[i];
    require(shape.rank() == element.rank(),
            "padded_batch: a tensor cannot be padded to another rank. Got {} for {}.", shape,
            spec.specs[i]);
    for (int axis = 0; axis < shape.rank(); ++axis)
      require(shape[axis] == kUnknown || element[axis] <= shape[axis],
              "padded_batch: the elements are larger than what they are to be padded to. Got {}, "
              "to be padded to {}.",
              spec.specs[i], shape);
    shapes.push_back(shape);
  }
  return shapes;
}

Tensor zero_of(DType dtype) {
  if (dtype == string) return Tensor(std::string_view());
  Tensor zero = Tensor::uninitialized({dtype, {}});
  std::memset(zero.mutable_data(), 0, size_of(dtype));
  return zero;
}

Row checked_values(const ElementSpec& spec, const std::vector<Tensor>& wanted) {
  require(wanted.empty() || wanted.size() == spec.specs.size(),
          "padded_batch: padding_values takes one value for each of the {} tensors of {}. Got {}.",
          spec.specs.size(), spec, wanted.size());
  Row values;
  for (size_t i = 0; i < spec.specs.size(); ++i) {
    const DType dtype = spec.specs[i].dtype;
    const bool given = i < wanted.size() && wanted[i].defined();
    const Tensor value = given ? wanted[i].cpu() : zero_of(dtype);
    require(value.rank() == 0 && value.dtype() == dtype,
            "padded_batch: the padding of {} must be a scalar of its dtype. Got {}.", spec.specs[i],
            value.spec());
    values.push_back(value);
  }
  return values;
}

}  // namespace

Dataset Dataset::padded_batch(int64_t size, const PaddedBatchOptions& options) const {
  require(size > 0, "padded_batch: the size must be positive. Got {}.", size);
  const Padding padding{checked_shapes(element_spec(), options.padded_shapes),
                        checked_values(element_spec(), options.padding_values)};
  const Batches batches{size, options.drop_remainder};
  return then(std::make_shared<PaddedBatched>(stage_, batches, padding));
}

}  // namespace alula::data
