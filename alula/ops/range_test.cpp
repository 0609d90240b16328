#include "alula/ops/range.h"

#include <cmath>

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

void check_range(double start, double delta, int64_t count, DType dtype,
                 const std::function<Tensor()>& f) {
  OpTest::check([&](const auto&) { return f(); }, {},
                [&](const std::vector<Array>&) {
                  Array result({count});
                  for (int64_t i = 0; i < count; ++i)
                    result.values[i] = start + static_cast<double>(i) * delta;
                  return result;
                },
                dtype);
}

}  // namespace

OP_TEST(range) {
  for (const DType dtype : every_dtype()) {
    if (dtype == string || dtype == boolean) continue;
    check_range(3, 3, 5, dtype, [&] { return range(3, 18, 3, dtype); });
    check_range(3, 3, 6, dtype, [&] { return range(3, 19, 3, dtype); });
    check_range(9, -2, 4, dtype, [&] { return range(9, 1, -2, dtype); });
    check_range(0, 1, 0, dtype, [&] { return range(0, 0, 1, dtype); });
  }
  check_range(0, 1, 3, int32, [] { return range(3); });
  check_range(0, 1, 3, float32, [] { return range(2.5); });
  check_range(0, 0.25, 4, float32, [] { return range(0, 1, 0.25); });
  check_range(0, 1, 3, int64, [] { return range(int64_t{3}); });
  check_range(-5, 1, 200000, int32, [] { return range(-5, 199995); });
  const std::vector<int64_t> far =
      range(INT64_MIN, INT64_MAX, INT64_MAX, int64).to_vector<int64_t>();
  EXPECT_EQ(far, (std::vector<int64_t>{INT64_MIN, -1, INT64_MAX - 1}));

  EXPECT_ERROR(range(0, 3, 0), InvalidArgumentError, "delta must not be 0");
  EXPECT_ERROR(range(3, 0), InvalidArgumentError, "Change the sign of delta");
  EXPECT_ERROR(range(0, 3, -1), InvalidArgumentError, "Change the sign of delta");
  EXPECT_ERROR(range(0, 2.5, 1, int32), InvalidArgumentError, "not of int32");
  EXPECT_ERROR(range(-1, 3, 1, uint8), InvalidArgumentError, "not of uint8");
  EXPECT_ERROR(range(0, NAN), InvalidArgumentError, "must be finite");
  EXPECT_ERROR(range(0, 1, 1, boolean), InvalidArgumentError, "makes float16");
  EXPECT_ERROR(range(INT64_MIN, INT64_MAX, 1, int64), InvalidArgumentError, "too many elements");
  EXPECT_ERROR(range(0, 1e300, 1e-300, float64), InvalidArgumentError, "too many elements");
}

OP_TEST(linspace) {
  for (const DType dtype : {float16, bfloat16, float32, float64}) {
    check_range(0, 0.25, 5, dtype, [&] { return linspace(0, 1, 5, dtype); });
    check_range(2, 1, 1, dtype, [&] { return linspace(2, 7, 1, dtype); });
    check_range(3, -0.5, 13, dtype, [&] { return linspace(3, -3, 13, dtype); });
  }
  EXPECT_EQ(linspace(0, 0.1, 8, float64).to_vector<double>().back(), 0.1);
  EXPECT_ERROR(linspace(0, 1, 0), InvalidArgumentError, "num must be at least 1");
  EXPECT_ERROR(linspace(0, 1, 3, int32), InvalidArgumentError, "makes float16");
}
