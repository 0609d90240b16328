// Convolutions by cuDNN against the CPU's. Without cuDNN they are skipped.
#include <cstdlib>

#include "alula/core/log.h"
#include "alula/ops/cast.h"
#include "alula/ops/conv2d_backprop_filter.h"
#include "alula/ops/conv2d_fused.h"
#include "alula/ops/conv2d_gradients_at.h"
#include "alula/ops/conv2d_transpose.h"
#include "alula/ops/elementwise.h"
#include "alula/scalar/compose.h"
#include "alula/testing/gpu.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// A convolution, and what it is asked for.
struct Case {
  Shape input, filter;
  Conv2DOptions options{};
};

/// Sets ALULA_CUDNN, and hears what is logged.
class CudnnConv2D : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    use("always");
    changed_ = true;
    logging::set_level(logging::Level::kInfo);
    before_ = logging::set_handler([this](logging::Level, std::string_view message) {
      heard_ += fmt::format("{}\n", message);
    });
    static const std::string problem = load();
    if (!problem.empty()) GTEST_SKIP() << problem;
    heard_.clear();
  }
  void TearDown() override {
    if (!changed_) return;
    logging::set_handler(before_);
    logging::set_level(logging::Level::kWarning);
    unsetenv("ALULA_CUDNN");
    config::enable_tensor_float_32_execution(true);
  }
  static void use(const char* word) { setenv("ALULA_CUDNN", word, 1); }

  /// Runs `f`, and fails unless cuDNN was chosen meanwhile. What was said is printed.
  template <class F>
  auto by_cudnn(const F& f) {
    heard_.clear();
    auto result = f();
    fmt::print("{}", heard_);
    std::fflush(stdout);
    if (heard_.find("without cuDNN") != std::string::npos ||
        heard_.find("(engine") == std::string::npos)
      ADD_FAILURE() << "cuDNN was not used";
    return result;
  }

  /// Convolves for the first time; what is said of a library that is missing.
  std::string load() {
    const Tensor x = random_tensor({float32, {1, 8, 8, 8}}).to(kGpu);
    conv2d(x, random_tensor({float32, {3, 3, 8, 8}}).to(kGpu));
    return heard_.find("run without cuDNN") == std::string::npos ? "" : heard_;
  }

  std::string heard_;
  bool changed_ = false;
  logging::Handler before_;
};

/// The three ways to use a convolution.
enum class Kind { kForward, kInput, kFilter };

struct Operands {
  Tensor input, filter, output;

  Operands(const Case& c, DType dtype) {
    input = cast(random_tensor({float32, c.input}, {-1, 1}), dtype);
    filter = cast(random_tensor({float32, c.filter}, {-1, 1}), dtype);
    const Spec results = Conv2D(c.options).infer(
        SpecRefs(std::vector<const Spec*>{&input.spec(), &filter.spec()}))[0];
    output = cast(random_tensor({float32, results.shape}, {-1, 1}), dtype);
  }
  Operands(Tensor input, Tensor filter, Tensor output)
      : input(std::move(input)), filter(std::move(filter)), output(std::move(output)) {}

  Operands on_gpu() const { return {input.to(kGpu), filter.to(kGpu), output.to(kGpu)}; }
  Operands in_float32() const {
    return {cast(input, float32), cast(filter, float32), cast(output, float32)};
  }
  Tensor run(Kind kind, const Conv2DOptions& options) const {
    switch (kind) {
      case Kind::kForward: return conv2d(input, filter, options);
      case Kind::kInput: return conv2d_backprop_input(input.shape(), filter, output, options);
      case Kind::kFilter: break;
    }
    return conv2d_backprop_filter(input, filter.shape(), output, options);
  }
};

/// The largest difference, relative to the largest value.
double error(const Tensor& actual, const Tensor& expected) {
  const auto a = cast(actual.cpu(), float32).to_vector<float>(),
             b = cast(expected, float32).to_vector<float>();
  double most = 0, scale = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= most)) most = std::abs(a[i] - b[i]);  // NaN stays
    scale = std::max<double>(scale, std::abs(b[i]));
  }
  return most / scale;
}

struct Precision {
  DType dtype;
  bool tf32;
  double most;
};
constexpr Precision kPrecisions[] = {
    {float32, false, 1e-4}, {float32, true, 2e-3}, {float16, true, 2e-3}, {bfloat16, true, 1e-2}};

const scalar::Program* bias_and_relu() {
  scalar::Builder builder;
  const Scalar value = builder.input(float32), bias = builder.input(float32);
  const Scalar results[] = {max(value + bias, 0)};
  return &scalar::interned(builder.finish("bias_and_relu", results));
}

}  // namespace

TEST_F(CudnnConv2D, AgreesWithTheCpu) {
  const Case cases[] = {{{8, 28, 28, 64}, {3, 3, 64, 64}, {.padding = "SAME"}},
                        {{8, 28, 28, 64}, {3, 3, 64, 96}, {}},
                        {{4, 28, 28, 64}, {1, 1, 64, 128}, {.strides = 2}},
                        {{4, 28, 28, 64}, {3, 3, 64, 64}, {.strides = 2, .padding = "SAME"}},
                        {{4, 29, 31, 64}, {5, 3, 64, 32}, {.strides = {2, 1}}},
                        {{4, 20, 20, 64}, {3, 3, 64, 64}, {.padding = "SAME", .dilations = 2}},
                        {{4, 20, 20, 64}, {3, 3, 16, 64}, {.padding = "SAME"}},
                        {{4, 17, 19, 33}, {3, 3, 33, 67}, {.padding = "SAME"}},
                        {{4, 17, 19, 7}, {3, 3, 7, 5}, {.padding = {2, 0, 1, 3}}},
                        {{2, 64, 64, 3}, {7, 7, 3, 64}, {.strides = 2, .padding = "SAME"}}};
  for (const Case& c : cases)
    for (const auto& [dtype, tf32, most] : kPrecisions) {
      config::enable_tensor_float_32_execution(tf32);
      const Operands host(c, dtype), plain = host.in_float32(), there = host.on_gpu();
      for (const Kind kind : {Kind::kForward, Kind::kInput, Kind::kFilter}) {
        SCOPED_TRACE(fmt::format("kind {} of {} {} by {}, strides {}, padding {}, tf32 {}",
                                 static_cast<int>(kind), dtype, c.input, c.filter,
                                 c.options.strides, c.options.padding, tf32));
        const Tensor result = by_cudnn([&] {
          const OnGpu on_gpu;
          return there.run(kind, c.options);
        });
        EXPECT_LT(error(result, plain.run(kind, c.options)), most);
      }
    }
}

/// cuBLAS has them.
TEST_F(CudnnConv2D, LeavesProductsAlone) {
  const Case c{{8, 28, 28, 64}, {1, 1, 64, 128}, {}};
  for (const auto& [dtype, tf32, most] : kPrecisions) {
    config::enable_tensor_float_32_execution(tf32);
    const Operands host(c, dtype), plain = host.in_float32(), there = host.on_gpu();
    for (const Kind kind : {Kind::kForward, Kind::kInput, Kind::kFilter}) {
      SCOPED_TRACE(fmt::format("kind {} of {}, tf32 {}", static_cast<int>(kind), dtype, tf32));
      EXPECT_LT(error(there.run(kind, c.options), plain.run(kind, c.options)), most);
    }
  }
  EXPECT_EQ(heard_.find("(engine"), std::string::npos) << heard_;
}

TEST_F(CudnnConv2D, RoundsToTensorFloat32OnlyIfAllowed) {
  const Case c{{8, 28, 28, 48}, {3, 3, 48, 64}, {}};
  const Operands host(c, float32), there = host.on_gpu();
  const Tensor expected = host.run(Kind::kForward, c.options);
  const double rounded =
      error(by_cudnn([&] { return there.run(Kind::kForward, c.options); }), expected);
  EXPECT_GT(rounded, 1e-5);
  config::enable_tensor_float_32_execution(false);
  EXPECT_LT(error(by_cudnn([&] { return there.run(Kind::kForward, c.options); }), expected), 1e-5);
}

TEST_F(CudnnConv2D, GivesTheSameNumbersEveryTime) {
  for (const DType dtype : {float32, bfloat16}) {
    const Case c{{32, 28, 28, 80}, {3, 3, 80, 64}, {.padding = "SAME"}};
    const Operands there = Operands(c, dtype).on_gpu();
    for (const Kind kind : {Kind::kForward, Kind::kInput, Kind::kFilter}) {
      const auto bits = [&] {
        return cast(there.run(kind, c.options), float32).to_vector<float>();
      };
      const std::vector<float> first = by_cudnn(bits);
      for (int i = 0; i < 5; ++i) EXPECT_EQ(bits(), first);
    }
  }
}

/// The plans are chosen while the graph is captured.
TEST_F(CudnnConv2D, RunsInACapturedGraph) {
  config::enable_tensor_float_32_execution(false);
  const Conv2DOptions options{.padding = "SAME"};
  const Spec image{float32, {4, 24, 24, 72}}, filter{float32, {3, 3, 72, 72}};
  const Operand x{image, 0}, w{filter, 1}, y{image, 2}, z{image, 3}, dx{image, 4}, dw{filter, 5};
  const auto conv = std::make_shared<Conv2D>(options);
  const auto executable = gpu().prepare(
      {{conv, {x, w}, {y}},
       {conv, {y, w}, {z}},
       {std::make_shared<Conv2DBackpropInput>(image.shape, options), {w, z}, {dx}},
       {std::make_shared<Conv2DBackpropFilter>(filter.shape, options), {dx, y}, {dw}}});
  for (int i = 0; i < 3; ++i) {  // other slots each time
    const Tensor a = random_tensor(image, {-1, 1}), b = random_tensor(filter, {-0.1, 0.1});
    std::vector<Tensor> slots = {a.to(kGpu), b.to(kGpu)};
    for (const Spec& spec : {image, image, image, filter})
      slots.push_back(Tensor::uninitialized(spec, gpu()));
    std::vector<void*> addresses;
    for (Tensor& slot : slots) addresses.push_back(slot.mutable_data());
    const auto run = [&] {
      executable->run(addresses);
      return slots;
    };
    if (i == 0)
      by_cudnn(run);
    else
      run();
    run();
    const Tensor first = conv2d(a, b, options), second = conv2d(first, b, options),
                 third = conv2d_backprop_input(image.shape, b, second, options);
    EXPECT_LT(error(slots[2], first), 1e-5);
    EXPECT_LT(error(slots[3], second), 1e-5);
    EXPECT_LT(error(slots[4], third), 1e-5);
    EXPECT_LT(error(slots[5], conv2d_backprop_filter(third, filter.shape, first, options)), 1e-4);
  }
}

TEST_F(CudnnConv2D, IsFollowedByProgramsAndPooling) {
  config::enable_tensor_float_32_execution(false);
  const Tensor input = random_tensor({float32, {32, 28, 28, 64}}, {-1, 1}),
               filter = random_tensor({float32, {3, 3, 64, 64}}, {-1, 1}),
               bias = random_tensor({float32, {64}}, {-1, 1});
  using Pooling = Conv2DFused::Pooling;
  for (const Pooling pooling : {Pooling::kNone, Pooling::kMax, Pooling::kMaxWithPositions}) {
    Conv2DFused op({.padding = "SAME"});
    op.pooling = pooling;
    op.epilogue = bias_and_relu();
    const Tensors expected = call_all(op, std::vector{input, filter, bias});
    const std::vector<Tensor> there = {input.to(kGpu), filter.to(kGpu), bias.to(kGpu)};
    const auto run = [&] { return call_all(op, there); };
    // The plan of the first pooling serves the second one, too.
    const Tensors results = pooling == Pooling::kNone ? by_cudnn(run) : run();
    EXPECT_LT(error(results[0], expected[0]), 1e-5);
    if (pooling != Pooling::kMaxWithPositions) continue;
    const auto a = results[1].cpu().to_vector<uint8_t>(), b = expected[1].to_vector<uint8_t>();
    int64_t others = 0;  // near ties
    for (size_t i = 0; i < a.size(); ++i) others += a[i] != b[i];
    EXPECT_LT(others, static_cast<int64_t>(a.size() / 1000));
  }
}

TEST_F(CudnnConv2D, MakesGradientsOfPooledConvolutions) {
  config::enable_tensor_float_32_execution(false);
  const Conv2DOptions options{.padding = "SAME"};
  const Tensor input = random_tensor({float32, {8, 26, 28, 64}}, {-1, 1}),
               filter = random_tensor({float32, {3, 3, 64, 64}}, {-1, 1}),
               values = random_tensor({float32, {8, 13, 14, 64}}, {-1, 1}),
               positions = max_pool2d_with_positions(conv2d(input, filter, options))[1];
  Conv2DFilterGradientAt of_filter(filter.shape(), options);
  of_filter.bias = true;
  const Conv2DInputGradientAt of_input(input.shape(), options);
  const auto check = [&](const Op& op, const Tensor& first) {
    const Tensors expected = call_all(op, std::vector{first, values, positions});
    const std::vector<Tensor> there = {first.to(kGpu), values.to(kGpu), positions.to(kGpu)};
    const Tensors results = by_cudnn([&] { return call_all(op, there); });
    for (size_t i = 0; i < results.size(); ++i) EXPECT_LT(error(results[i], expected[i]), 1e-4);
  };
  check(of_filter, input);
  check(of_input, filter);
}

/// Without the word, large ones are its own.
TEST_F(CudnnConv2D, IsChosenForLargeConvolutions) {
  unsetenv("ALULA_CUDNN");
  const Case c{{32, 56, 56, 64}, {3, 3, 64, 64}, {.padding = "SAME"}};
  const Operands there = Operands(c, bfloat16).on_gpu();
  for (const Kind kind : {Kind::kForward, Kind::kInput, Kind::kFilter})
    by_cudnn([&] { return there.run(kind, c.options); });
}

TEST_F(CudnnConv2D, IsNotUsedIfToldSo) {
  use("never");
  const Case c{{32, 56, 56, 64}, {3, 3, 64, 64}, {}};
  Operands(c, bfloat16).on_gpu().run(Kind::kForward, c.options);
  EXPECT_EQ(heard_.find("(engine"), std::string::npos) << heard_;
}
