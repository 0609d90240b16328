#pragma once
#include <memory>

#include "alula/graph/compat/lower.h"

namespace alula::compat::v1::internal {

/// A lowered graph made ready to run.
class Runnable {
 public:
  virtual ~Runnable() = default;
  virtual Tensors run(TensorRefs inputs) = 0;
};

/// Compiled, if all of it runs on the CPU. Else op by op, each where it was said to run, or where
/// its operands are.
std::unique_ptr<Runnable> make_runnable(Lowered& lowered);

}  // namespace alula::compat::v1::internal
