#include "alula/core/spec.h"

namespace alula {

std::string to_string(const Spec& spec) {
  return std::string(name_of(spec.dtype)) + to_string(spec.shape);
}

}  // namespace alula
