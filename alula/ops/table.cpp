#include "alula/ops/table.h"

namespace alula {

const Elementwise* find_elementwise(std::string_view name) {
  for (const Elementwise* function : elementwise_table())
    if (name == function->name()) return function;
  return nullptr;
}

}  // namespace alula
