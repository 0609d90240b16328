#include "alula/ops/cast.h"

#include <cmath>
#include <limits>

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// What an element becomes, for values that every numeric dtype of the right sign can hold.
double plain_cast(double x, DType to) {
  if (to == boolean) return x != 0;
  return is_floating(to) ? x : std::trunc(x);
}

template <class T>
void expect_saturates() {
  using Limits = std::numeric_limits<T>;
  const Tensor x = {kInfinity, -kInfinity, std::nanf(""), 1e30f, -1e30f, 0.9f, -0.9f};
  const std::vector<T> expected = {
      Limits::max(), Limits::min(), 0, Limits::max(), Limits::min(), 0, 0};
  EXPECT_EQ(cast(x, dtype_of<T>).template to_vector<T>(), expected) << name_of(dtype_of<T>);
  EXPECT_EQ(cast(cast(x, float64), dtype_of<T>).template to_vector<T>(), expected);
}

}  // namespace

OP_TEST(cast) {
  for (int i = 0; i < kDTypeCount; ++i)
    for (int k = 0; k < kDTypeCount; ++k) {
      const auto from = static_cast<DType>(i), to = static_cast<DType>(k);
      if (from == string || to == string) continue;
      const bool is_unsigned = kUnsignedIntegers.contains(to);
      for (const Shape& shape :
           {Shape{}, Shape{0}, Shape{7}, Shape{33}, Shape{3, 5, 7}, Shape{40001}})
        check([to](const std::vector<Tensor>& in) { return cast(in[0], to); },
              {random_tensor({from, shape}, {is_unsigned ? 0. : -100., 100})},
              [to](const std::vector<Array>& in) {
                Array out = in[0];
                for (double& value : out.values) value = plain_cast(value, to);
                return out;
              },
              to);
    }
}

TEST(Cast, ReturnsTheTensorItselfIfThereIsNothingToDo) {
  const Tensor x = {1.f, 2.f};
  EXPECT_TRUE(cast(x, float32).same_as(x));
  const Tensor text = {"a", "b"};
  EXPECT_TRUE(cast(text, string).same_as(text));
}

TEST(Cast, SaturatesFloatingPointNumbers) {
  expect_saturates<int8_t>();
  expect_saturates<int16_t>();
  expect_saturates<int32_t>();
  expect_saturates<int64_t>();
  expect_saturates<uint8_t>();
  expect_saturates<uint16_t>();
  expect_saturates<uint32_t>();
  expect_saturates<uint64_t>();
  // The numbers around a limit that float32 cannot hold itself.
  EXPECT_EQ(
      cast({2147483520.f, 2147483648.f, -2147483648.f, -2147483904.f}, int32).to_vector<int>(),
      (std::vector<int>{2147483520, 2147483647, -2147483647 - 1, -2147483647 - 1}));
}

TEST(Cast, WrapsIntegers) {
  EXPECT_EQ(cast({300, -1, 128}, int8).to_vector<int8_t>(), (std::vector<int8_t>{44, -1, -128}));
  EXPECT_EQ(cast({300, -1, 128}, uint8).to_vector<uint8_t>(), (std::vector<uint8_t>{44, 255, 128}));
  EXPECT_EQ(cast({-1}, uint64).item<uint64_t>(), ~uint64_t{0});
}

TEST(Cast, KnowsWhatIsTrue) {
  const Tensor x = {0.f, -0.f, 0.25f, std::nanf(""), kInfinity};
  EXPECT_EQ(cast(x, boolean).to_vector<bool>(),
            (std::vector<bool>{false, false, true, true, true}));
  // Numbers that float32 would round to 0.
  EXPECT_TRUE(cast(Tensor(std::vector<double>{1e-300}), boolean).item<bool>());
  EXPECT_TRUE(cast(Tensor(std::vector<int64_t>{int64_t{1} << 62}), boolean).item<bool>());
}

TEST(Cast, RejectsStrings) {
  EXPECT_ERROR(cast({"a"}, int32), InvalidArgumentError,
               "cast: takes numbers and bools. Got string[1]");
  EXPECT_ERROR(cast({1}, string), InvalidArgumentError, "to become string");
  EXPECT_ERROR(cast(Tensor(), int32), InvalidArgumentError, "not defined");
}
