#pragma once
#include <functional>
#include <vector>

#include "alula/core/tensor.h"

/// What op tests compare with: plain arrays of doubles, computed by plain loops.
namespace alula::testing {

/// A tensor for references: slow, simple, always in double.
struct Array {
  Shape shape;
  std::vector<double> values;

  Array() = default;
  /// All zeros.
  explicit Array(Shape shape) : shape(shape), values(shape.size()) {}
  Array(Shape shape, std::vector<double> values) : shape(shape), values(std::move(values)) {}

  int64_t size() const { return shape.size(); }
  double& operator[](const Shape& index) { return values[offset(index)]; }
  double operator[](const Shape& index) const { return values[offset(index)]; }
  int64_t offset(const Shape& index) const;
};

/// Calls `body` with every index of a shape, in order: {0,0}, {0,1}, …
void for_each_index(const Shape& shape, const std::function<void(const Shape&)>& body);

/// An array repeated to a shape that it broadcasts to.
Array broadcast_to(const Array& array, const Shape& shape);

/// The elements of a tensor, from any device and of any dtype. A string stands for the number or
/// truth value that it shows, an empty one for 0.
Array to_array(const Tensor& tensor);
/// An array as a tensor on the host; values are rounded to the dtype.
Tensor to_tensor(const Array& array, DType dtype);

struct Range {
  double from = -2;
  double to = 2;
};

/// A tensor of random elements; the same for the same arguments and calls before. Integers and
/// bools are drawn from what of the range they can hold.
Tensor random_tensor(const Spec& spec, Range range = {});
/// A random integer in [from, to].
int64_t random_int(int64_t from, int64_t to);

}  // namespace alula::testing
