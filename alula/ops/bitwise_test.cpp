#include "alula/ops/bitwise.h"

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Plain = std::function<int64_t(int64_t, int64_t)>;

void check_bits(Tensor (*f)(const Tensor&, const Tensor&), const Plain& plain, double most) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!is_integer(dtype)) continue;
    const double least = kSignedIntegers.contains(dtype) ? -100 : 0;
    OpTest::check(
        [&](const std::vector<Tensor>& in) { return f(in[0], in[1]); },
        {random_tensor({dtype, {3, 7}}, {least, 100}), random_tensor({dtype, {7}}, {0, most})},
        [&](const std::vector<Array>& in) {
          Array y = in[0];
          for (int64_t k = 0; k < y.size(); ++k)
            y.values[k] = static_cast<double>(plain(static_cast<int64_t>(in[0].values[k]),
                                                    static_cast<int64_t>(in[1].values[k % 7])));
          return y;
        });
  }
}

}  // namespace

OP_TEST(bitwise) {
  check_bits(bitwise::bitwise_and, [](int64_t x, int64_t y) { return x & y; }, 100);
  check_bits(bitwise::bitwise_or, [](int64_t x, int64_t y) { return x | y; }, 100);
  check_bits(bitwise::bitwise_xor, [](int64_t x, int64_t y) { return x ^ y; }, 100);
  check_bits(bitwise::right_shift, [](int64_t x, int64_t y) { return x >> y; }, 6);
}

TEST(Bitwise, ShiftsWithinTheType) {
  EXPECT_EQ(bitwise::left_shift(Tensor{3, -1, 1, 1}, Tensor{2, 4, -5, 40}).to_vector<int32_t>(),
            (std::vector<int32_t>{12, -16, 1, INT32_MIN}));
  EXPECT_EQ(bitwise::invert(Tensor{0, 5}).to_vector<int32_t>(), (std::vector<int32_t>{-1, -6}));
  EXPECT_ERROR(bitwise::bitwise_and(Tensor{1.f}, Tensor{1.f}), InvalidArgumentError,
               "two tensors of the same integer type");
  EXPECT_ERROR(bitwise::invert(Tensor{1.f}), InvalidArgumentError, "invert takes integers");
}
