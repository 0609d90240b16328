// cuDNN's plans for an H200, which it makes without one.
#include "alula/backends/cuda/cudnn_plans.h"

#include <algorithm>

#include <gtest/gtest.h>

#if CUDNN_VERSION >= 91100

using namespace alula;
using namespace alula::cuda;

namespace {

const CudnnTarget kH200{
    .handle = nullptr,
    .description =
        R"({"deviceVer":900,"driverVer":13000,"cudaDeviceId":0,"totalGlobalMem":150754820096,)"
        R"("maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],)"
        R"("regsPerBlock":65536,"multiProcessorCount":132,"warpSize":32,)"
        R"("maxSharedMemoryPerBlock":49152,"maxSharedMemoryPerBlockOptin":232448,)"
        R"("reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,"maxCtasPerSM":32,)"
        R"("maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,"pciDeviceId":0,"isTccDriver":0,)"
        R"("supportCoopLaunch":1,"smClockRateKHz":1980000,"memClockRateKHz":3201000,)"
        R"("l2CacheSize":62914560,"deviceName":"NVIDIA H200"})"};

class CudnnPlans : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_cudnn() == nullptr) GTEST_SKIP() << "cuDNN is not installed";
    if (find_cudnn()->version() < 91100)
      GTEST_SKIP() << "cuDNN makes plans without a GPU from 9.11";
  }

  static std::vector<ConvolutionPlan> plans(Convolution::Kind kind, DType dtype, bool tf32,
                                            const Spec& input, const Spec& filter,
                                            const Conv2DOptions& options = {}) {
    Convolution convolution(kind, dtype, conv2d_shape("test", input, filter, options));
    convolution.tf32 = tf32;
    SCOPED_TRACE(to_string(convolution));
    auto made = plans_of(convolution, kH200, 64);
    EXPECT_FALSE(made.empty()) << to_string(convolution);
    return made;
  }
};

constexpr Convolution::Kind kKinds[] = {Convolution::Kind::kForward,
                                        Convolution::Kind::kInputGradient,
                                        Convolution::Kind::kFilterGradient};

}  // namespace

#ifdef __SANITIZE_ADDRESS__
/// Without a GPU, cuDNN asks cuBLASLt for handles in vain and loses what was allocated for them.
extern "C" const char* __lsan_default_suppressions() { return "leak:libcublasLt.so"; }
#endif

TEST_F(CudnnPlans, ExistForAllThatConv2DTakes) {
  struct Case {
    Shape input, filter;
    Conv2DOptions options;
  };
  const Case cases[] = {
      {{32, 56, 56, 64}, {3, 3, 64, 64}, {.padding = "SAME"}},
      {{32, 56, 56, 64}, {3, 3, 64, 128}, {.strides = 2, .padding = "SAME"}},  // 0 before, 1 after
      {{32, 28, 28, 128}, {3, 3, 128, 128}, {.padding = "SAME", .dilations = 2}},
      {{32, 28, 28, 128}, {3, 3, 32, 128}, {}},  // groups
      {{8, 30, 31, 67}, {3, 5, 67, 129}, {.strides = {1, 2}}},
      {{32, 56, 56, 64}, {1, 1, 64, 256}, {}},
      {{32, 224, 224, 3}, {7, 7, 3, 64}, {.strides = 2, .padding = {3, 2, 3, 2}}}};
  for (const Case& c : cases)
    for (const Convolution::Kind kind : kKinds)
      for (const DType dtype : {float32, float16, bfloat16})
        plans(kind, dtype, dtype == float32, {dtype, c.input}, {dtype, c.filter}, c.options);
}

/// The best engine for TF32 is none of those for float32.
TEST_F(CudnnPlans, UseTensorCoresForFloat32OnlyIfAsked) {
  const Spec input{float32, {32, 28, 28, 128}}, filter{float32, {3, 3, 128, 128}};
  for (const Convolution::Kind kind : kKinds) {
    const auto exact = plans(kind, float32, false, input, filter);
    const auto rounded = plans(kind, float32, true, input, filter);
    EXPECT_GT(rounded.size(), exact.size());
    for (const ConvolutionPlan& plan : exact)
      EXPECT_NE(plan.engine, rounded.front().engine) << "the best engine uses tensor cores";
  }
}

TEST_F(CudnnPlans, AreAsManyAsAskedFor) {
  const Spec input{bfloat16, {32, 28, 28, 128}}, filter{bfloat16, {3, 3, 128, 128}};
  const Convolution convolution(Convolution::Kind::kForward, bfloat16,
                                conv2d_shape("test", input, filter, {}));
  EXPECT_EQ(plans_of(convolution, kH200, 3).size(), 3);
}

TEST_F(CudnnPlans, TakeArguments) {
  const int64_t ids[] = {1, 2, 3};
  alignas(16) static std::byte memory[64];
  void* const data[] = {memory, memory + 16, memory + 32};
  EXPECT_NE(CudnnArguments(ids, data, memory + 48).get(), nullptr);
  EXPECT_NE(CudnnArguments(ids, data, nullptr).get(), nullptr);
}

TEST_F(CudnnPlans, FailWithWhatCudnnSays) {
  const CudnnTarget nonsense{.handle = nullptr, .description = "{}"};
  try {
    plans_of(Convolution(), nonsense, 1);
    FAIL() << "no error";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("CUDNN_STATUS_BAD_PARAM"), std::string::npos)
        << error.what();
  }
}

#endif
