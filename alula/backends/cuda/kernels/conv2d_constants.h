#pragma once
#include <vector>

#include "alula/backends/cuda/inline_program.h"
#include "alula/ops/conv2d.h"

/// What the convolutions' device code knows of its shapes while it is compiled. The batch is an
/// argument, so that another one needs no other kernel.
namespace alula::cuda {

using Constants = std::vector<std::pair<std::string_view, int64_t>>;

/// The images, the filter's windows, and the results of a convolution.
inline Constants conv2d_constants(const Conv2DShape& shape) {
  const auto& [y, x] = shape.windows;
  return {{"kHeight", y.input},
          {"kWidth", x.input},
          {"kChannels", shape.in_channels},
          {"kOut", shape.out_channels},
          {"kGroupIn", shape.group_in()},
          {"kGroupOut", shape.group_out()},
          {"kTapsY", y.size},
          {"kTapsX", x.size},
          {"kStrideY", y.stride},
          {"kStrideX", x.stride},
          {"kDilationY", y.dilation},
          {"kDilationX", x.dilation},
          {"kBeforeY", y.before},
          {"kBeforeX", x.before},
          {"kConvRows", y.output},
          {"kConvColumns", x.output}};
}

/// Windows over a convolution's results, where `results` are the number of them.
inline void add_pool(Constants& constants, const Windows& pool) {
  const auto& [y, x] = pool;
  for (const auto& entry : Constants{{"kPoolY", y.size},
                                     {"kPoolX", x.size},
                                     {"kPoolStrideY", y.stride},
                                     {"kPoolStrideX", x.stride},
                                     {"kPoolBeforeY", y.before},
                                     {"kPoolBeforeX", x.before},
                                     {"kRows", y.output},
                                     {"kColumns", x.output}})
    constants.push_back(entry);
}

/// The positions of the images that a number of neighbouring pooling windows look at, along one
/// axis.
inline int64_t span_of(const Window& taps, const Window& pool, int64_t windows) {
  return ((windows - 1) * pool.stride + pool.size - 1) * taps.stride + taps.extent();
}

/// Parts that are as equal as can be: the size of each.
inline int64_t even_part(int64_t whole, int64_t most) {
  const int64_t parts = (whole + most - 1) / most;
  return (whole + parts - 1) / parts;
}

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace alula::cuda
