#include "alula/ops/conv2d.h"

#include "alula/ops/conv2d_test.h"
#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

namespace {

void check_conv(const Spec& input, const Shape& filter, const Conv2DOptions& options = {}) {
  const bool integers = is_integer(input.dtype);
  const Range range = integers ? Range{-9, 9} : Range{-1, 1};
  const auto terms = static_cast<double>(filter[0] * filter[1] * filter[2]);
  OpTest::check([&](const std::vector<Tensor>& in) { return conv2d(in[0], in[1], options); },
                {random_tensor(input, range), random_tensor(input.with(filter), range)},
                [&](const std::vector<Array>& in) { return plain_conv2d(in[0], in[1], options); },
                {.scale = std::sqrt(terms)});
}

}  // namespace

OP_TEST(conv2d) {
  for (DType dtype : {float16, bfloat16, float32, float64, int32}) {
    check_conv({dtype, {2, 5, 6, 3}}, {3, 2, 3, 5});
    check_conv({dtype, {2, 5, 6, 4}}, {3, 3, 2, 6}, {.padding = "SAME"});    // 2 groups
    check_conv({dtype, {1, 7, 9, 17}}, {3, 3, 1, 17}, {.padding = "same"});  // depthwise
    check_conv({dtype, {1, 7, 9, 3}}, {3, 3, 1, 6}, {.strides = 2});  // twice as many results
    check_conv({dtype, {3, 4, 5, 33}}, {1, 1, 33, 16});
    check_conv({dtype, {3, 4, 5, 8}}, {1, 1, 8, 33}, {.strides = {2, 1}});
  }
}

TEST(Conv2D, TakesEveryOption) {
  for (const Size2 strides : {Size2(1), Size2(2), Size2(3, 2)})
    for (const Size2 dilations : {Size2(1), Size2(2), Size2(1, 3)})
      for (const Padding& padding : {Padding("VALID"), Padding("SAME"), Padding(0, 2, 3, 1)})
        for (const int64_t groups : {1, 2, 4})
          for (const Size2 size : {Size2(1), Size2(2, 3), Size2(3)})
            check_conv({float32, {2, 9, 11, 4}}, {size.height, size.width, 4 / groups, 8},
                       {.strides = strides, .padding = padding, .dilations = dilations});
}

TEST(Conv2D, TakesEveryNumberOfChannels) {
  for (const int64_t in : {1, 3, 7, 16, 17, 33})
    for (const int64_t out : {1, 3, 7, 16, 17, 33, 65})
      for (const DType dtype : {float32, float64})
        check_conv({dtype, {2, 6, 15, in}}, {3, 3, in, out}, {.padding = "SAME"});
  for (const int64_t channels : {2, 7, 15, 16, 33}) {
    check_conv({float32, {2, 6, 15, channels}}, {3, 3, 1, channels}, {.padding = "SAME"});
    check_conv({float32, {2, 6, 15, channels}}, {2, 2, 1, 3 * channels});
    check_conv({float16, {2, 6, 15, channels}}, {2, 2, 1, 3 * channels}, {.strides = 2});
  }
}

TEST(Conv2D, TakesEveryWidth) {
  for (int64_t width = 3; width < 30; ++width)
    check_conv({float32, {1, 3, width, 2}}, {3, 3, 2, 18});
}

TEST(Conv2D, IsSharedByThreads) {
  check_conv({float32, {40, 20, 20, 3}}, {3, 3, 3, 32});
  check_conv({float32, {1, 40, 40, 16}}, {3, 3, 16, 70}, {.padding = "SAME"});
  check_conv({float32, {1, 3, 3, 300}}, {3, 3, 300, 130},
             {.padding = "SAME"});  // sums in several parts
  check_conv({bfloat16, {1, 3, 3, 300}}, {3, 3, 300, 130});
  check_conv({float32, {1, 45, 45, 64}}, {1, 1, 64, 64});
  check_conv({float32, {3, 30, 30, 40}}, {3, 3, 1, 40}, {.padding = "SAME"});
}

/// So large that results are written past the caches.
TEST(Conv2D, WritesLargeResults) {
  const Tensor input = random_tensor({float32, {9, 130, 130, 1}});
  const Tensor filter = random_tensor({float32, {1, 1, 1, 64}});
  const Tensor result = conv2d(input, filter);
  const auto x = input.span<float>(), w = filter.span<float>(), y = result.span<float>();
  ASSERT_GT(result.bytes(), 32 << 20);
  for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], x[i / 64] * w[i % 64]) << i;
}

TEST(Conv2D, TakesEmptyInputs) {
  check_conv({float32, {0, 5, 5, 3}}, {3, 3, 3, 4});
  check_conv({float32, {2, 5, 5, 3}}, {3, 3, 3, 0});
  check_conv({float32, {2, 0, 5, 3}}, {3, 3, 3, 4}, {.padding = "SAME"});
}

TEST(Conv2D, WrapsIntegers) {
  const Tensor large(std::vector<int32_t>{1 << 30, 1 << 30}, {1, 1, 2, 1});
  const Tensor filter(std::vector<int32_t>{2, 3}, {1, 2, 1, 1});
  EXPECT_EQ(conv2d(large, filter).item<int32_t>(), 1 << 30);
}

TEST(Conv2D, HasSecondGradients) {
  for (const Conv2DOptions& options :
       {Conv2DOptions{}, {.strides = 2, .padding = "SAME"}, {.dilations = {1, 2}}})
    for (const int64_t groups : {1, 2})
      compare_second_gradient(
          [&](const std::vector<Tensor>& in) { return conv2d(in[0], in[1], options); },
          {random_tensor({float64, {2, 5, 6, 2}}),
           random_tensor({float64, {3, 2, 2 / groups, 4}})});
}

TEST(Conv2D, ComputesOnlyTheGradientsAskedFor) {
  const auto f = [](const std::vector<Tensor>& in) { return conv2d(in[0], in[1]); };
  const std::vector<Tensor> inputs = {random_tensor({float32, {2, 5, 6, 2}}),
                                      random_tensor({float32, {3, 2, 2, 4}})};
  using Counts = std::map<std::string, int>;
  EXPECT_EQ(ops_of_gradient(f, inputs, {0}), (Counts{{"conv2d_backprop_input", 1}}));
  EXPECT_EQ(ops_of_gradient(f, inputs, {1}), (Counts{{"conv2d_backprop_filter", 1}}));
  EXPECT_EQ(ops_of_gradient(f, inputs, {0, 1}),
            (Counts{{"conv2d_backprop_filter", 1}, {"conv2d_backprop_input", 1}}));
  EXPECT_EQ(Conv2D().needs({0}).inputs, IndexSet{1});
  EXPECT_EQ(Conv2D().needs({1}).inputs, IndexSet{0});
  EXPECT_EQ(Conv2D().needs({0, 1}).outputs, IndexSet());
}

TEST(Conv2D, InfersUnknownSizes) {
  const auto infer = [](const Shape& input, const Shape& filter,
                        const Conv2DOptions& options = {}) {
    const Spec specs[] = {{float32, input}, {float32, filter}};
    const Spec* refs[] = {&specs[0], &specs[1]};
    return to_string(Conv2D(options).infer(SpecRefs(refs))[0].shape);
  };
  EXPECT_EQ(infer({-1, 28, 28, 1}, {3, 3, 1, 32}), "[?,26,26,32]");
  EXPECT_EQ(infer({8, -1, 28, 1}, {3, 3, 1, 32}, {.padding = "SAME"}), "[8,?,28,32]");
  EXPECT_EQ(infer({8, 28, 28, -1}, {3, 3, 1, 32}), "[8,26,26,32]");
  EXPECT_EQ(infer({8, 28, 28, 3}, {-1, 3, 3, -1}), "[8,?,?,?]");
}

TEST(Conv2D, CountsItsOperations) {
  const Spec specs[] = {{float32, {2, 5, 5, 4}}, {float32, {3, 3, 2, 6}}};
  const Spec* refs[] = {&specs[0], &specs[1]};
  const Conv2D op;
  const Cost cost = op.cost(SpecRefs(refs), op.infer(SpecRefs(refs)));
  EXPECT_EQ(cost.flops, 2.0 * 2 * 3 * 3 * 6 * (3 * 3 * 2));
  EXPECT_EQ(cost.bytes, 4.0 * (2 * 5 * 5 * 4 + 3 * 3 * 2 * 6 + 2 * 3 * 3 * 6));
}

TEST(Conv2D, SaysWhatIsWrong) {
  const auto run = [](const Spec& input, const Spec& filter, const Conv2DOptions& options = {}) {
    return conv2d(random_tensor(input), random_tensor(filter), options);
  };
  const auto fails = [&](const Shape& input, const Shape& filter, const char* text,
                         const Conv2DOptions& options = {}) {
    EXPECT_ERROR(run({float32, input}, {float32, filter}, options), InvalidArgumentError, text);
  };
  fails({5, 5, 3}, {3, 3, 3, 4},
        "conv2d: the input must be [batch, height, width, channels]. Got float32[5,5,3].");
  fails({1, 5, 5, 3}, {3, 3, 3}, "conv2d: the filter must be [height, width, in_channels");
  fails({8, 32, 32, 3}, {3, 3, 4, 16},
        "conv2d: the input has 3 channels but the filter takes 4. Got input float32[8,32,32,3], "
        "filter "
        "float32[3,3,4,16].");
  fails({1, 5, 5, 0}, {3, 3, 3, 4}, "the input has 0 channels");
  fails({1, 5, 5, 4}, {3, 3, 2, 5}, "5 output channels cannot be shared by 2 groups");
  fails({1, 5, 5, 3}, {0, 3, 3, 4}, "the filter is empty");
  fails({1, 5, 5, 3}, {3, 3, 0, 4}, "the filter is empty");
  fails({1, 2, 5, 3}, {3, 3, 3, 4},
        "the window 3x3 is larger than the input. Got float32[1,2,5,3].");
  fails({1, 5, 5, 3}, {3, 3, 3, 4}, "the window 3x7 is larger", {.dilations = {1, 3}});
  fails({1, 5, 5, 3}, {3, 3, 3, 4}, "the strides must be at least 1. Got 0x1.",
        {.strides = {0, 1}});
  fails({1, 5, 5, 3}, {3, 3, 3, 4}, "the dilations must be at least 1", {.dilations = {1, -1}});
  fails({1, 5, 5, 3}, {3, 3, 3, 4}, "a padding cannot be negative", {.padding = {0, 0, -1, 0}});
  fails({1, 5, 5, 3}, {3, 3, 3, 4}, "a padding", {.padding = {int64_t{1} << 40, 0, 0, 0}});
  fails({1, 5, 5, 3}, {3, 3, 3, 4}, "the strides", {.strides = int64_t{1} << 40});
  EXPECT_ERROR(Padding("half"), InvalidArgumentError,
               "padding: \"half\" is not known. Use \"VALID\"");
  EXPECT_ERROR(
      run({int64, {1, 5, 5, 3}}, {int64, {3, 3, 3, 4}}), InvalidArgumentError,
      "conv2d: takes float16, bfloat16, float32, float64, int32. Got input int64[1,5,5,3]");
  EXPECT_ERROR(run({float32, {1, 5, 5, 3}}, {float64, {3, 3, 3, 4}}), InvalidArgumentError,
               "conv2d: the dtypes differ.");
  const int64_t most = std::numeric_limits<int32_t>::max();
  fails({1, 1, 1, 1}, {1, 1, 1, 1}, "too many elements", {.padding = {most, most, most, most}});
}
