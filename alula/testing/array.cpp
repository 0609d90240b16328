#include "alula/testing/array.h"

#include <cmath>
#include <limits>
#include <random>

namespace alula::testing {
namespace {

std::mt19937_64& generator() {
  static std::mt19937_64 generator(20240229);
  return generator;
}

}  // namespace

int64_t Array::offset(const Shape& index) const {
  int64_t offset = 0;
  for (int i = 0; i < shape.rank(); ++i) offset = offset * shape[i] + index[i];
  return offset;
}

void for_each_index(const Shape& shape, const std::function<void(const Shape&)>& body) {
  const int64_t size = shape.size();
  for (int64_t i = 0; i < size; ++i) {
    Shape index = shape;
    int64_t rest = i;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      index[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    body(index);
  }
}

Array broadcast_to(const Array& array, const Shape& shape) {
  Array result(shape);
  const int extra = shape.rank() - array.shape.rank();
  for_each_index(shape, [&](const Shape& index) {
    Shape source;
    for (int i = 0; i < array.shape.rank(); ++i)
      source.push_back(array.shape[i] == 1 ? 0 : index[extra + i]);
    result[index] = array[source];
  });
  return result;
}

Array to_array(const Tensor& tensor) {
  const Tensor host = tensor.cpu();
  Array array(host.shape());
  if (host.dtype() == string) {
    const auto texts = host.span<std::string>();
    for (size_t i = 0; i < texts.size(); ++i) {
      const bool is_word = texts[i].empty() || texts[i] == "false" || texts[i] == "true";
      array.values[i] = is_word ? texts[i] == "true" : std::stod(texts[i]);
    }
    return array;
  }
  with_type(host.dtype(), [&]<class T>(Type<T>) {
    const auto values = host.span<T>();
    for (size_t i = 0; i < values.size(); ++i) array.values[i] = static_cast<double>(values[i]);
  });
  return array;
}

Tensor to_tensor(const Array& array, DType dtype) {
  Tensor tensor = Tensor::uninitialized({dtype, array.shape});
  if (dtype == string) {
    auto* to = static_cast<std::string*>(tensor.mutable_data());
    for (size_t i = 0; i < array.values.size(); ++i) to[i] = fmt::format("{}", array.values[i]);
    return tensor;
  }
  with_type(dtype, [&]<class T>(Type<T>) {
    auto* to = static_cast<T*>(tensor.mutable_data());
    for (size_t i = 0; i < array.values.size(); ++i) to[i] = static_cast<T>(array.values[i]);
  });
  return tensor;
}

Tensor random_tensor(const Spec& spec, Range range) {
  Array array(spec.shape);
  if (!is_floating(spec.dtype)) {
    double low = 0, high = 1;
    if (spec.dtype == string)
      low = -1e6, high = 1e6;
    else if (spec.dtype != boolean)
      with_type(spec.dtype, [&]<class T>(Type<T>) {
        low = static_cast<double>(std::numeric_limits<T>::lowest());
        high = static_cast<double>(std::numeric_limits<T>::max());
      });
    range = {std::ceil(std::max(range.from, low)), std::floor(std::min(range.to, high))};
    for (double& value : array.values)
      value = static_cast<double>(
          random_int(static_cast<int64_t>(range.from), static_cast<int64_t>(range.to)));
  } else {
    std::uniform_real_distribution<double> draw(range.from, range.to);
    for (double& value : array.values) value = draw(generator());
  }
  return to_tensor(array, spec.dtype);
}

int64_t random_int(int64_t from, int64_t to) {
  return std::uniform_int_distribution<int64_t>(from, to)(generator());
}

}  // namespace alula::testing
