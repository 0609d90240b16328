#pragma once
#include "alula/core/tensor.h"

namespace alula::graph {

/// Values of every step of a loop, however many there were. It goes from node to node as the note
/// of a scalar, so that graphs need not know how long it is. The scalar is a float32, so that tapes
/// follow it: its gradient is such a list, too. A scalar 0 without a list stands for zeros
/// everywhere: what the gradient of something unused is.
struct History final : Note {
  std::vector<std::vector<Tensor>> steps;

  static inline const Spec kSpec{float32, {}};
};

/// The lists of scalars that were stacked.
struct Histories final : Note {
  std::vector<Tensor> carriers;
};

/// The scalar that carries a list.
Tensor with_history(Ref<Note> history);
/// The list that a scalar carries; null for zeros.
const History* history_of(const char* who, const Tensor& carrier);
/// Whether a tensor carries lists: then it is more than its elements.
bool carries_history(const Tensor& tensor);
/// Whether it is known already that a list is of zeros.
bool is_without_history(const Tensor& carrier);

}  // namespace alula::graph
