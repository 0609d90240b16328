#pragma once
#include <memory>
#include <vector>

#include "alula/scalar/scalar.h"

namespace alula::keras {

/// What an optimizer does to one element of a variable, while it is being recorded: the rule reads
/// the element, its gradient and its slots, and sets what they become. A scalar program is made of
/// it, which is then run over all elements of all variables.
///   u.set_value(u.value() - u.scalar(0) * u.gradient());
class ElementUpdate {
 public:
  /// What is recorded: the dtype of the variables, and how much there is beside the element.
  struct Layout {
    DType dtype = float32;
    int scalars = 1;  // numbers of the step, the same for all elements
    int slots = 0;
    int own_scalars = 0;  // numbers of the step, the same for all elements of a variable
  };
  explicit ElementUpdate(const Layout& layout);

  Scalar value() const { return value_; }
  Scalar gradient() const { return gradient_; }
  Scalar slot(int i) const { return slots_[i]; }
  /// A number of the step: scalar(0) is the learning rate.
  Scalar scalar(int i) const { return scalars_[i]; }
  Scalar own_scalar(int i) const { return own_scalars_[i]; }
  /// A constant of the optimizer. Those who differ in constants only share the program.
  Scalar constant(double value);

  void set_value(Scalar value) { value_ = value; }
  void set_gradient(Scalar gradient) { gradient_ = gradient; }
  void set_slot(int i, Scalar value) { slots_[i] = value; }

  /// Ends the recording. Its results are the value and the slots.
  struct Recorded {
    const scalar::Program* program;  // lives as long as the process
    std::vector<double> parameters;
  };
  Recorded finish(const char* name);

 private:
  scalar::Builder builder_;
  Layout layout_;
  DType computed_;  // 16-bit floats are computed in float32
  Scalar value_, gradient_;
  std::vector<Scalar> slots_, scalars_, own_scalars_;
  std::vector<double> parameters_;
};

}  // namespace alula::keras
