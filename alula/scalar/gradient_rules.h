#pragma once
#include <functional>

#include "alula/scalar/scalar.h"

namespace alula::scalar {

/// An instruction as the rules of differentiation see it: its operands, its own value (each is
/// recorded only if it is asked for), and the gradient with respect to that value.
struct Step {
  Opcode opcode;
  std::function<Scalar(int)> operand;
  std::function<Scalar()> own;
  Scalar dy;
};

/// Whether a change of operand `k` changes what an instruction gives, other than in jumps.
bool has_gradient(Opcode opcode, int k);

/// What an instruction adds to the gradient with respect to its operand `k`.
Scalar contribution(const Step& step, int k);

}  // namespace alula::scalar
