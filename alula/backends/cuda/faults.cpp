#include "alula/backends/cuda/faults.h"

namespace alula::cuda {

void fail_in(const Op& op, std::span<const View> inputs, const InternalError& error) {
  InlineVector<const Spec*, 4> specs;
  for (const View& view : inputs) specs.push_back(view.spec);
  const SpecRefs refs(std::span<const Spec* const>(specs.data(), specs.size()));
  fail<InternalError>("{}: its kernel failed on the GPU. Got {}. {}", op.name(), refs,
                      error.what());
}

std::string how_to_find_the_op() {
  if (config::get_synchronous_execution()) return "";
  return " To find the op that failed, run the program with ALULA_SYNC=1, or call "
         "config::set_synchronous_execution(true) first.";
}

}  // namespace alula::cuda
