#pragma once
#include <array>
#include <atomic>

#include "alula/runtime/dispatch.h"
#include "alula/runtime/variable.h"
#include "alula/scalar/scalar.h"

namespace alula {

/// The op behind every elementwise function: a scalar program, applied to each element of inputs
/// that broadcast to one shape. A fused chain is one, too, with a longer program.
class ElementwiseOp final : public OpOf<ElementwiseOp> {
 public:
  static constexpr const char* kName = "elementwise";
  static constexpr DTypeSet kDTypes = kNumericOrBool;
  static constexpr int kMostParameters = 4;

  /// `program` must outlive the op and its clones.
  explicit ElementwiseOp(const scalar::Program& program) : program_(&program) {}

  const char* name() const override { return program_->name().c_str(); }
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  /// One call of the differentiated program, for all inputs whose gradient is wanted.
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;

  const scalar::Program& program() const { return *program_; }
  /// The numbers given with this call.
  std::array<double, kMostParameters> parameters{};

 private:
  const scalar::Program* program_;
};

/// An argument of an elementwise function: a tensor, or a number that takes its neighbours' dtype.
class Argument {
 public:
  Argument(const Tensor& tensor) : tensor_(tensor) {}
  Argument(const Variable& variable) : tensor_(variable) {}
  Argument(std::initializer_list<Literal> list) : tensor_(list) {}
  template <Arithmetic T>
  Argument(T value) : number_(value), is_number_(true) {}

  bool is_number() const { return is_number_; }
  const Tensor& tensor() const { return tensor_; }
  /// The tensor, or the number as a scalar of `dtype`; `who` is named if it does not fit.
  Tensor as(DType dtype, const char* who) const;

 private:
  Tensor tensor_;
  Number number_ = 0;
  bool is_number_ = false;
};

/// The dtype of the first tensor among the arguments, which the numbers take.
DType common_dtype(const char* who, std::initializer_list<const Argument*> arguments);

/// Of a function without a gradient: it is constant between its jumps, or its values are bools.
inline constexpr scalar::GivenGradient kNoGradient = scalar::GivenGradient::none();

struct ElementwiseOptions {
  int parameters = 0;      // the function's last arguments that are numbers, not tensors
  bool condition = false;  // whether the first argument is a bool whatever the dtype
  /// One function an input, of (the inputs…, the output, dy, the parameters…). None is needed where
  /// differentiating the function gives a stable gradient that is also TensorFlow's.
  scalar::GivenGradient gradient{};
};

/// An elementwise function as users call it: `relu(x)`, `add(x, y)`. A constant object that needs
/// no set-up; it makes its program for a dtype the first time that this is used.
class Elementwise {
 public:
  constexpr Elementwise(const char* name, Scalar (*f)(Scalar), DTypeSet dtypes,
                        ElementwiseOptions options = {})
      : name_(name), f1_(f), inputs_(1), options_(options), dtypes_(dtypes) {}
  constexpr Elementwise(const char* name, Scalar (*f)(Scalar, Scalar), DTypeSet dtypes,
                        ElementwiseOptions options = {})
      : name_(name), f2_(f), inputs_(2 - options.parameters), options_(options), dtypes_(dtypes) {}
  constexpr Elementwise(const char* name, Scalar (*f)(Scalar, Scalar, Scalar), DTypeSet dtypes,
                        ElementwiseOptions options = {})
      : name_(name), f3_(f), inputs_(3 - options.parameters), options_(options), dtypes_(dtypes) {}

  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& a, const Tensor& b) const;
  template <Arithmetic N>
  Tensor operator()(const Tensor& a, N b) const {
    return call_with_number(a, b);
  }
  template <Arithmetic N>
  Tensor operator()(N a, const Tensor& b) const {
    return call_with_number(a, b);
  }
  Tensor operator()(const Argument& a, const Argument& b, const Argument& c) const;
  /// The call with its parameters.
  Tensor with(std::initializer_list<double> parameters, const Tensor& x) const;

  const char* name() const { return name_; }
  int inputs() const { return inputs_; }
  DTypeSet dtypes() const { return dtypes_; }
  const ElementwiseOptions& options() const { return options_; }

  /// The program for inputs of `dtype`, or an error that lists the dtypes it takes.
  const scalar::Program& program(DType dtype) const;

 private:
  const scalar::Program& make_program(DType dtype) const;
  void check_inputs(int given) const;
  Tensor call_with_number(const Argument& a, const Argument& b) const;

  const char* name_;
  Scalar (*f1_)(Scalar) = nullptr;
  Scalar (*f2_)(Scalar, Scalar) = nullptr;
  Scalar (*f3_)(Scalar, Scalar, Scalar) = nullptr;
  int inputs_;
  ElementwiseOptions options_;
  DTypeSet dtypes_;
  mutable std::array<std::atomic<const scalar::Program*>, kDTypeCount> programs_{};
};

}  // namespace alula
