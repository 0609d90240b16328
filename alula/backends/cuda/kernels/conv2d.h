#pragma once
#include "alula/backends/cuda/inline_program.h"
#include "alula/ops/conv2d_gradients_at.h"

/// The ways to convolve on a GPU; conv2d.cpp decides which is taken.
namespace alula::cuda {

/// The convolution of the call's first input with its second, straight from shared memory: for few
/// terms a result, and for groups of few channels. The results go to `after`; where they are max
/// pooled, the largest of each window, and its place to `positions` unless that is null.
void conv2d_directly(const KernelCall& call, const Conv2DShape& shape, const Windows* pool,
                     unsigned char* positions, const InlineProgram& after);

/// The same without pooling, as a product of matrices.
void conv2d_by_product(const KernelCall& call, const Conv2DShape& shape,
                       const InlineProgram& after);

/// The gradients of a convolution as products of matrices: of its input, of its filter.
void conv2d_input_by_product(const KernelCall& call, const Conv2DShape& shape, const View& filter,
                             const View& gradient, const View& result);
void conv2d_filter_by_product(const KernelCall& call, const Conv2DShape& shape, const View& input,
                              const View& gradient, const View& result);

/// A convolution or one of its gradients: of its three operands, the one that the kind names is the
/// result.
struct Conv2DTask {
  enum class Kind : uint8_t { kForward, kInputGradient, kFilterGradient };

  Kind kind = Kind::kForward;
  const Conv2DShape& shape;
  View input, filter, output;  // the result's address may not be known yet
  bool read_again = false;  // whether the result then goes through a program, in a pass of its own
};

/// By the kernels above.
void run_task(const KernelCall& call, const Conv2DTask& task);

/// Convolutions by a library, if the plugin has one.
class Conv2DLibrary {
 public:
  virtual ~Conv2DLibrary() = default;
  /// Whether it can do this, and faster than `run_task`.
  virtual bool suits(const KernelCall& call, const Conv2DTask& task) = 0;
  /// Does what suits it.
  virtual void run(const KernelCall& call, const Conv2DTask& task) = 0;
};
void set_conv2d_library(Conv2DLibrary* library);

/// The gradient of a filter of many channels by the library, though of zeros for the most part:
/// false if that does not pay.
bool conv2d_filter_at_by_library(const Conv2DFilterGradientAt& op, const KernelCall& call);

}  // namespace alula::cuda
