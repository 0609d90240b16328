#include "alula/ops/searchsorted.h"

#include <algorithm>

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

Tensor sorted_rows(DType dtype, const Shape& shape) {
  Array rows = to_array(random_tensor({dtype, shape}, {0, 50}));
  const int64_t n = shape.back();
  for (int64_t i = 0; n > 0 && i < rows.size(); i += n)
    std::sort(rows.values.begin() + i, rows.values.begin() + i + n);
  return to_tensor(rows, dtype);
}

Array reference(const Array& sorted, const Array& values, bool right) {
  Array result(values.shape);
  const int64_t n = sorted.shape.back(), m = values.shape.back();
  for (int64_t i = 0; i < values.size(); ++i)
    for (int64_t k = 0; k < n; ++k) {
      const double element = sorted.values[i / m * n + k];
      if (element < values.values[i] || (right && element == values.values[i])) ++result.values[i];
    }
  return result;
}

void check_search(DType dtype, const Shape& rows, const Shape& values,
                  const SearchSortedOptions& options) {
  OpTest::check(
      [&](const std::vector<Tensor>& in) { return searchsorted(in[0], in[1], options); },
      {sorted_rows(dtype, rows), random_tensor({dtype, values}, {-2, 60})},
      [&](const std::vector<Array>& in) { return reference(in[0], in[1], options.right); },
      options.out_type);
}

}  // namespace

OP_TEST(searchsorted) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!kNumeric.contains(dtype)) continue;
    for (bool right : {false, true}) {
      check_search(dtype, {7}, {15}, {.right = right});
      check_search(dtype, {2, 3, 33}, {2, 3, 5}, {.right = right, .out_type = int64});
    }
  }
  check_search(float32, {0}, {4}, {});
  check_search(float32, {4}, {0}, {});
  check_search(float32, {3, 300}, {3, 50'000}, {});
}

TEST(SearchSorted, RefusesWhatDoesNotFit) {
  const Tensor row = {1.f, 2.f};
  EXPECT_ERROR(searchsorted(row, {{1.f}}), InvalidArgumentError, "but the last must be equal");
  EXPECT_ERROR(searchsorted(row, {1}), InvalidArgumentError, "dtypes differ");
  EXPECT_ERROR(searchsorted(row, row, {.out_type = float32}), InvalidArgumentError, "out_type");
  EXPECT_ERROR(searchsorted({true}, {true}), InvalidArgumentError, "takes float16");
}
