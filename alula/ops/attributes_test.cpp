#include "alula/ops/attributes.h"

#include "alula/ops/all.h"
#include "alula/scalar/gradient.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

std::string text_of(const Op& op) { return to_string(op.attributes()); }

/// The op that a call of a function makes.
template <class F>
std::shared_ptr<const Op> op_of(const F& f, DType dtype) {
  const Tensor result = f(Tensor::symbolic({dtype, {2, 2}}, Ref<Note>(new Symbol)));
  return static_cast<const OpCall&>(*result.note<Symbol>()->call).op();
}

/// Each is like its copy, and unlike all others.
void expect_different(const std::vector<std::shared_ptr<const Op>>& ops) {
  for (size_t i = 0; i < ops.size(); ++i)
    for (size_t k = 0; k < ops.size(); ++k)
      EXPECT_EQ(same(*ops[i], *ops[k]->clone()), i == k)
          << ops[i]->name() << "(" << text_of(*ops[i]) << ") and " << ops[k]->name() << "("
          << text_of(*ops[k]) << ")";
}

template <class T>
std::shared_ptr<const Op> made(T op) {
  return std::make_shared<const T>(std::move(op));
}

}  // namespace

TEST(Attributes, ReadLikeOptions) {
  EXPECT_EQ(text_of(Conv2D({.strides = {2, 1}, .padding = "same"})), "strides=2x1, padding=SAME");
  EXPECT_EQ(text_of(Conv2D({.padding = {1, 1, 2, 2}, .dilations = 2})),
            "strides=1x1, padding=[1,1,2,2], dilations=2x2");
  EXPECT_EQ(text_of(MatMul()), "");
  EXPECT_EQ(text_of(MatMul({.transpose_b = true})), "transpose_b=true");
  EXPECT_EQ(text_of(ReduceSum({.axis = {0, -1}, .keepdims = true})), "axis=[0,-1], keepdims=true");
  EXPECT_EQ(text_of(ReduceSum()), "axis=all");
  EXPECT_EQ(text_of(Pad({{0, 1}, {2, 3}}, {.mode = PadMode::kReflect})),
            "paddings=[[0,1],[2,3]], mode=REFLECT");
  EXPECT_EQ(text_of(Split({1, 2}, 1)), "num_or_size_splits=[1,2], axis=1");
  EXPECT_EQ(text_of(Fill({2}, uint64_t{1} << 63, uint64)),
            "shape=[2], value=9223372036854775808, dtype=uint64");
  EXPECT_EQ(text_of(*op_of(relu, float32)), "");
  EXPECT_EQ(text_of(*op_of([](const Tensor& x) { return leaky_relu(x, 0.3); }, float32)),
            "parameters=[0.3]");
  EXPECT_EQ(text_of(*op_of([](const Tensor& x) { return cast(x, int32); }, float32)),
            "dtype=int32");
}

TEST(Attributes, TellOpsApart) {
  expect_different({made(Conv2D()), made(Conv2D({.strides = 2})), made(Conv2D({.strides = {2, 1}})),
                    made(Conv2D({.padding = "same"})), made(Conv2D({.padding = {0, 0, 0, 0}})),
                    made(Conv2D({.dilations = 2})), made(Conv2DBackpropFilter({1, 1, 1, 1})),
                    made(Conv2DBackpropFilter({1, 1, 1, 2})), made(MaxPool2D()), made(AvgPool2D()),
                    made(MaxPool2D({.ksize = 3})), made(MaxPool2DGradient())});
  expect_different({made(ReduceSum()), made(ReduceSum({.axis = std::vector<int64_t>()})),
                    made(ReduceSum({.axis = 0})), made(ReduceSum({.axis = {0, 1}})),
                    made(ReduceSum({.keepdims = true})), made(ReduceMean())});
  expect_different({made(BatchNorm()), made(BatchNorm({.epsilon = 0.1})),
                    made(BatchNorm({.epsilon = std::nextafter(0.1, 1)}))});
  expect_different({made(Fill({2}, 1, int32)), made(Fill({2}, 1, float32)),
                    made(Fill({3}, 1, int32)), made(Fill({2}, 0.f, float32)),
                    made(Fill({2}, -0.f, float32))});
  expect_different({made(StridedSlice({0}, {1})), made(StridedSlice({0}, {1}, {{.end_mask = 1}})),
                    made(StridedSlice({0}, {1}, {{.shrink_axis_mask = 1}})), made(Slice({0}, {1})),
                    made(Gather({.axis = 0})), made(Gather()), made(Gather({.batch_dims = 1}))});
}

TEST(Attributes, TellElementwiseOpsApart) {
  const auto gradient_op = [](IndexSet wanted) -> std::shared_ptr<const Op> {
    return made(ElementwiseOp(*scalar::gradient_of(mul.program(float32), wanted.bits()).program));
  };
  expect_different({op_of(relu, float32), op_of(alula::exp, float32),
                    op_of([](const Tensor& x) { return leaky_relu(x, 0.3); }, float32),
                    op_of([](const Tensor& x) { return leaky_relu(x, 0.2); }, float32),
                    op_of([](const Tensor& x) { return cast(x, int32); }, float32),
                    op_of([](const Tensor& x) { return cast(x, float64); }, float32),
                    gradient_op({0}), gradient_op({0, 1})});
}

TEST(Attributes, RandomOpsAreLikeNoOther) {
  RandomUniform op;
  op.output = {float32, {2}};
  EXPECT_EQ(text_of(op), "shape=[2], dtype=float32, minval=0, maxval=1");
  EXPECT_FALSE(same(op, op));
}
