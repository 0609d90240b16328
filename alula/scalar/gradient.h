#pragma once
#include "alula/scalar/scalar.h"

namespace alula::scalar {

/// What an input of a gradient's program is: an input or an output of the function, or the gradient
/// dy with respect to an output.
struct Source {
  enum class Kind : uint8_t { kInput, kOutput, kDy };
  Kind kind;
  int index;

  bool operator==(const Source&) const = default;
};

/// The gradient with respect to one input.
struct Partial {
  enum class Kind : uint8_t {
    kNone,      // not wanted, or nothing depends on it that has a gradient
    kZero,      // it is 0 everywhere
    kDy,        // it is dy itself: `index` says which output's
    kComputed,  // it is a result of the program: `index` says which
  };
  Kind kind = Kind::kNone;
  int index = 0;

  bool operator==(const Partial&) const = default;
};

/// The gradient of a program, as another program: it computes dy * d(output) / d(input) for the
/// inputs that are wanted. Parameters keep their positions.
struct Gradient {
  uint64_t wanted = 0;
  std::unique_ptr<Program> program;  // none if there is nothing to compute
  std::vector<Source> sources;       // what the inputs of `program` are: only those that it reads
  std::vector<Partial> partials;     // one an input of the function
  std::unique_ptr<Gradient> next;    // of the same function, for other wanted inputs
};

/// The gradient of a program; bit i of `wanted` stands for input i. It is made the first time that
/// it is asked for and kept with the program. Being a program, it can be differentiated in turn.
const Gradient& gradient_of(const Program& program, uint64_t wanted);

}  // namespace alula::scalar
