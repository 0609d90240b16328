#include "alula/ops/data_movement.h"

namespace alula {

std::string to_string(const Ints& values) {
  return fmt::format("[{}]", fmt::join(values.begin(), values.end(), ","));
}

}  // namespace alula
