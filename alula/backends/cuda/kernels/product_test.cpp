#include "alula/backends/cuda/kernels/product.h"

#include "alula/scalar/compose.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;
using scalar::Builder;
using scalar::Opcode;

namespace {

/// What end_of makes of a function of a product [5,7] and one operand.
std::optional<cuda::ProductEnd> end_with(DType dtype, const Shape& operand,
                                         const std::function<Scalar(Builder&, Scalar, Scalar)>& f) {
  Builder builder;
  const Scalar product = builder.input(dtype), other = builder.input(dtype);
  const Scalar result = f(builder, product, other);
  const auto& program = scalar::interned(builder.finish("end", {&result, 1}));
  const Tensor tensor = random_tensor({dtype, operand});
  const View view{&tensor.spec(), const_cast<void*>(tensor.data())};
  const auto end = cuda::end_of(program, {&view, 1}, {dtype, {5, 7}});
  EXPECT_TRUE(!end || end->row == tensor.data());
  return end;
}

}  // namespace

TEST(ProductEnd, IsARowAndRelu) {
  const auto sum = [](Builder&, Scalar x, Scalar row) { return x + row; };
  const auto cut = [](Builder&, Scalar x, Scalar row) { return max(row + x, 0.0); };
  const auto in_float32 = [](Builder& b, Scalar x, Scalar row) {
    const auto as = [&](Scalar v, DType to) { return b.emit(Opcode::kCast, to, {v}); };
    return as(max(as(x, float32) + as(row, float32), 0.0), float16);
  };
  for (const Shape& row : {Shape{7}, Shape{1, 7}}) {
    ASSERT_TRUE(end_with(float32, row, sum));
    EXPECT_FALSE(end_with(float32, row, sum)->relu);
    ASSERT_TRUE(end_with(float32, row, cut));
    EXPECT_TRUE(end_with(float32, row, cut)->relu);
    ASSERT_TRUE(end_with(float16, row, in_float32));
    EXPECT_TRUE(end_with(float16, row, in_float32)->relu);
  }
}

TEST(ProductEnd, IsNothingElse) {
  const auto sum = [](Builder&, Scalar x, Scalar row) { return x + row; };
  for (const Shape& shape : {Shape{5, 7}, Shape{5, 1}, Shape{}})
    EXPECT_FALSE(end_with(float32, shape, sum));
  EXPECT_FALSE(end_with(int32, {7}, sum));
  using F = std::function<Scalar(Builder&, Scalar, Scalar)>;
  const F others[] = {[](Builder&, Scalar x, Scalar row) { return x - row; },
                      [](Builder&, Scalar x, Scalar row) { return x + row + row; },
                      [](Builder&, Scalar x, Scalar row) { return max(x + row, 1.0); },
                      [](Builder&, Scalar x, Scalar row) { return max(x + row, 0.0) + x; },
                      [](Builder&, Scalar x, Scalar row) { return x * row; },
                      [](Builder&, Scalar, Scalar row) { return max(row, 0.0); }};
  for (const F& f : others) EXPECT_FALSE(end_with(float32, {7}, f));
}
