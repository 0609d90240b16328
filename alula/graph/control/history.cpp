#include "alula/graph/control/history.h"

namespace alula::graph {

Tensor with_history(Ref<Note> history) {
  Tensor carrier(1.f);
  carrier.add_note(std::move(history));
  return carrier;
}

const History* history_of(const char* who, const Tensor& carrier) {
  const auto* history = carrier.note<History>();
  require<UnimplementedError>(
      history != nullptr || carrier.item<float>() == 0,
      "{}: in a compiled function, gradients of gradients go through a loop, but those of third "
      "order do not, nor those of several gradients of one loop. Take one gradient of the sum, or "
      "run "
      "it outside of a compiled function.",
      who);
  return history;
}

bool carries_history(const Tensor& tensor) {
  return tensor.note<History>() != nullptr || tensor.note<Histories>() != nullptr;
}

bool is_without_history(const Tensor& carrier) {
  return !carrier.is_symbolic() && carrier.note<History>() == nullptr;
}

}  // namespace alula::graph
