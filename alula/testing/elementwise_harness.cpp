#include "alula/testing/elementwise_harness.h"

#include <cmath>
#include <limits>

#include "alula/testing/elementwise_gradient.h"

namespace alula::testing {
namespace {

const std::vector<Shape> kShapes = {{},        {0},   {1},     {7},         {15},
                                    {16},      {17},  {33},    {3, 0, 2},   {3, 5, 7},
                                    {1, 1, 1}, {129}, {40001}, {2, 3, 4, 5}};

const std::vector<std::pair<Shape, Shape>> kPairs = {{{}, {}},
                                                     {{3}, {}},
                                                     {{}, {2, 3}},
                                                     {{4, 1}, {1, 5}},
                                                     {{2, 3, 4}, {4}},
                                                     {{2, 3, 4}, {3, 1}},
                                                     {{2, 1, 200}, {2, 3, 200}},
                                                     {{5, 3}, {3}},
                                                     {{300, 200}, {200}},
                                                     {{200, 300}, {200, 1}},
                                                     {{0, 3}, {3}},
                                                     {{1}, {0}},
                                                     {{2, 1, 3, 1}, {1, 4, 1, 5}},
                                                     {{40001}, {1}},
                                                     {{33}, {33}},
                                                     {{7, 1, 9}, {7, 8, 9}}};

std::vector<DType> members(DTypeSet set) {
  std::vector<DType> dtypes;
  for (int i = 0; i < kDTypeCount; ++i)
    if (set.contains(static_cast<DType>(i))) dtypes.push_back(static_cast<DType>(i));
  return dtypes;
}

Tensor draw(DType dtype, const Shape& shape, const ElementwiseCheck& options) {
  return random_tensor({dtype, shape}, {options.from, options.to});
}

Tensor special_values(DType dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return to_tensor({{9},
                    {0.0, -0.0, 1.0, -1.0, 0.5, kInfinity, -kInfinity,
                     std::numeric_limits<double>::quiet_NaN(), 3.0}},
                   dtype);
}

/// Integers wrap around.
Array wrapped(Array array, DType dtype) {
  if (is_integer(dtype))
    with_type(dtype, [&]<class T>(Type<T>) {
      for (double& value : array.values)
        value = static_cast<double>(static_cast<T>(static_cast<int64_t>(value)));
    });
  return array;
}

/// The result's dtype: what the program says.
DType result_of(const Elementwise& f, DType dtype) { return f.program(dtype).output(); }

}  // namespace

void check_elementwise(const Elementwise& f, const std::function<Tensor(const Tensor&)>& call,
                       const Plain1& plain, ElementwiseCheck options) {
  const Function function = [&](const std::vector<Tensor>& in) { return call(in[0]); };
  DType result = float32;
  const Reference reference = [&](const std::vector<Array>& in) {
    Array out = in[0];
    for (double& value : out.values) value = plain(value);
    return wrapped(std::move(out), result);
  };
  const Tolerance tolerance{.relative = options.tolerance, .gradient = false};
  for (DType dtype : members(f.dtypes())) {
    result = result_of(f, dtype);
    for (const Shape& shape : kShapes)
      OpTest::check(function, {draw(dtype, shape, options)}, reference, result, tolerance);
    if (is_floating(dtype) && options.specials)
      OpTest::check(function, {special_values(dtype)}, reference, result, tolerance);
  }
  check_gradient(f, function, [&](const std::vector<double>& x) { return plain(x[0]); }, options);
}

void check_elementwise(const Elementwise& f, const Plain1& plain, ElementwiseCheck options) {
  check_elementwise(f, [&](const Tensor& x) { return f(x); }, plain, options);
}

void check_elementwise(const Elementwise& f, const Plain2& plain, ElementwiseCheck options) {
  const Function function = [&](const std::vector<Tensor>& in) { return f(in[0], in[1]); };
  DType result = float32;
  const Reference reference = [&](const std::vector<Array>& in) {
    const Shape shape = broadcast("reference", in[0].shape, in[1].shape);
    Array a = broadcast_to(in[0], shape), b = broadcast_to(in[1], shape);
    for (int64_t i = 0; i < a.size(); ++i) a.values[i] = plain(a.values[i], b.values[i]);
    return wrapped(std::move(a), result);
  };
  const Tolerance tolerance{.relative = options.tolerance, .gradient = false};
  for (DType dtype : members(f.dtypes())) {
    result = result_of(f, dtype);
    for (const Shape& shape : kShapes)
      OpTest::check(function, {draw(dtype, shape, options), draw(dtype, shape, options)}, reference,
                    result, tolerance);
    for (const auto& [a, b] : kPairs) {
      OpTest::check(function, {draw(dtype, a, options), draw(dtype, b, options)}, reference, result,
                    tolerance);
      OpTest::check(function, {draw(dtype, b, options), draw(dtype, a, options)}, reference, result,
                    tolerance);
    }
    if (is_floating(dtype) && options.specials) {
      const Tensor x = special_values(dtype);
      OpTest::check(function, {x.reshaped({9, 1}), x}, reference, result, tolerance);
    }
  }
  const Tensor three = draw(members(f.dtypes())[0], {3}, options);
  const Tensor four = draw(members(f.dtypes())[0], {4}, options);
  EXPECT_ERROR(f(three, four), InvalidArgumentError, "do not broadcast");
  check_gradient(
      f, function, [&](const std::vector<double>& x) { return plain(x[0], x[1]); }, options);
}

void check_elementwise(const Elementwise& f, const Plain3& plain, ElementwiseCheck options) {
  const Function function = [&](const std::vector<Tensor>& in) { return f(in[0], in[1], in[2]); };
  const Reference reference = [&](const std::vector<Array>& in) {
    const Shape shape =
        broadcast("reference", broadcast("reference", in[0].shape, in[1].shape), in[2].shape);
    Array a = broadcast_to(in[0], shape);
    const Array b = broadcast_to(in[1], shape), c = broadcast_to(in[2], shape);
    for (int64_t i = 0; i < a.size(); ++i)
      a.values[i] = plain(a.values[i], b.values[i], c.values[i]);
    return a;
  };
  const Tolerance tolerance{.relative = options.tolerance, .gradient = false};
  for (DType dtype : members(f.dtypes())) {
    const DType first = f.options().condition ? boolean : dtype;
    for (const Shape& shape : kShapes)
      OpTest::check(
          function,
          {draw(first, shape, options), draw(dtype, shape, options), draw(dtype, shape, options)},
          reference, result_of(f, dtype), tolerance);
    for (const auto& [a, b] : kPairs)
      for (const auto& [x, y, z] :
           {std::array{a, b, b}, std::array{b, a, Shape{}}, std::array{Shape{}, a, b}})
        OpTest::check(function,
                      {draw(first, x, options), draw(dtype, y, options), draw(dtype, z, options)},
                      reference, result_of(f, dtype), tolerance);
  }
  check_gradient(
      f, function, [&](const std::vector<double>& x) { return plain(x[0], x[1], x[2]); }, options);
}

}  // namespace alula::testing
