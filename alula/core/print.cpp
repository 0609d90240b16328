#include "alula/core/tensor.h"

namespace alula {

std::string Tensor::str() const { return fmt::format("{}", spec()); }

}  // namespace alula
