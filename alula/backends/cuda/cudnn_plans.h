#pragma once
#include <array>
#include <compare>

#include "alula/backends/cuda/cudnn_library.h"
#include "alula/backends/cuda/kernels/conv2d.h"

namespace alula::cuda {

/// A convolution or one of its gradients, in all that decides how cuDNN computes it. Images are
/// [batch, height, width, channels], filters [out_channels, height, width, in_channels / groups].
struct Convolution {
  using Kind = Conv2DTask::Kind;
  using Pair = std::array<int64_t, 2>;  // along height, along width

  Kind kind = Kind::kForward;
  DType dtype = float32;
  bool tf32 = false;
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  Pair input{}, output{}, size{}, strides{}, dilations{}, before{}, after{};
  auto operator<=>(const Convolution&) const = default;

  Convolution() = default;
  Convolution(Kind kind, DType dtype, const Conv2DShape& shape);
};

/// "float32 input gradient of 32x56x56x64 by 3x3x64x128, strides 2x2, …"
std::string to_string(const Convolution& convolution);

/// What plans are made for: the card of a handle, or one that is only described, in cuDNN's own
/// words for it.
struct CudnnTarget {
  cudnnHandle_t handle = nullptr;
  std::string description;
};

/// A way to compute it.
struct ConvolutionPlan {
  CudnnDescriptor plan;
  int64_t workspace = 0;  // bytes
  int64_t engine = 0;     // cuDNN's number of it
};

/// The ways that cuDNN has, the likely best first, at most so many. All of them give the same
/// numbers every time, sum in float32, and use what the dtype asks for: float32 is rounded to TF32
/// only where that is set.
std::vector<ConvolutionPlan> plans_of(const Convolution& convolution, const CudnnTarget& target,
                                      size_t most);

/// Puts a plan on the stream of the handle. What `kind` asks for is written, the others are read.
void run(const ConvolutionPlan& plan, cudnnHandle_t handle, void* input, void* filter, void* output,
         void* workspace);

}  // namespace alula::cuda
