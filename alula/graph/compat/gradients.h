#pragma once
#include <vector>

#include "alula/graph/compat/variable.h"
#include "alula/runtime/dispatch.h"

namespace alula::compat::v1 {

struct GradientsOptions {
  std::vector<Tensor> grad_ys =
      {};  // one a y, what its gradient starts from; ones if none is given
};

/// The gradients of (the sum of) ys with respect to xs, to be run: tensors of a graph, or
/// variables. Undefined for an x that no y depends on.
///   gradients({loss}, trainable_variables())
/// They are worked out when they are first run, and shapes are known.
std::vector<Tensor> gradients(const std::vector<Tensor>& ys, const std::vector<Tensor>& xs,
                              const GradientsOptions& options = {});
std::vector<Tensor> gradients(const std::vector<Tensor>& ys, const std::vector<Variable>& xs,
                              const GradientsOptions& options = {});

namespace internal {

/// The gradients of symbolic tensors whose shapes are known, made of ops. Zeros where there is
/// none.
std::vector<Tensor> gradients_now(const std::vector<Tensor>& ys, const std::vector<Tensor>& xs,
                                  const std::vector<Tensor>& grad_ys);

/// A call that stands for gradients: of its first `ys` inputs, with respect to the next `xs`; the
/// rest is what they start from.
class GradientsCall final : public Call {
 public:
  GradientsCall(size_t ys, size_t xs, std::vector<Tensor> inputs)
      : Call(std::move(inputs)), ys_(ys), xs_(xs) {}
  Tensors run(std::span<const Tensor> values) const override;

 private:
  size_t ys_, xs_;
};

}  // namespace internal
}  // namespace alula::compat::v1
