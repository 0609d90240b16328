#pragma once
#include <string>

#include "alula/core/tensor.h"

namespace alula::io {

/// A tensor as files know it.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

}  // namespace alula::io
