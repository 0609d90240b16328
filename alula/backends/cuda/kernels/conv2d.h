#pragma once
#include "alula/backends/cuda/inline_program.h"
#include "alula/ops/conv2d.h"

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

}  // namespace alula::cuda
