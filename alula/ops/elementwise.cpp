#include "alula/ops/elementwise.h"

#include <algorithm>

#include "alula/ops/attributes.h"
#include "alula/ops/batching.h"
#include "alula/ops/cast.h"
#include "alula/ops/fill.h"
#include "alula/ops/strings_compare.h"
#include "alula/ops/sum_to.h"
#include "alula/scalar/gradient.h"

namespace alula {

Specs ElementwiseOp::infer(SpecRefs inputs) const {
  const std::vector<DType>& wanted = program_->inputs();
  require(inputs.size() == wanted.size(), "{}: takes {} inputs. Got {}.", name(), wanted.size(),
          inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    require(inputs[i].dtype == wanted[i],
            "{}: input {} must be {}, like the others. Got {}. Use cast().", name(), i, wanted[i],
            inputs);
  Specs outputs;
  const std::vector<uint16_t>& results = program_->results();
  outputs.emplace_back(Spec{program_->code()[results[0]].dtype, inputs[0].shape});
  Shape& shape = outputs[0].shape;
  for (size_t i = 1; i < inputs.size(); ++i)
    if (inputs[i].shape != shape) shape = broadcast(name(), shape, inputs[i].shape);
  for (size_t i = 1; i < results.size(); ++i)
    outputs.emplace_back(Spec{program_->code()[results[i]].dtype, outputs[0].shape});
  return outputs;
}

Cost ElementwiseOp::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  const auto steps = std::count_if(
      program_->code().begin(), program_->code().end(),
      [](const scalar::Instruction& step) { return scalar::operand_count(step.opcode) > 0; });
  cost.flops = static_cast<double>(outputs[0].shape.size()) * static_cast<double>(steps);
  return cost;
}

namespace {

const Tensor& find(const Recorded& call, scalar::Source source) {
  switch (source.kind) {
    case scalar::Source::Kind::kInput: return call.input(source.index);
    case scalar::Source::Kind::kOutput: return call.output(source.index);
    default: return call.dy(source.index);
  }
}

}  // namespace

Needs ElementwiseOp::needs(IndexSet wanted) const {
  Needs needs{.inputs = {}, .outputs = {}};
  for (scalar::Source source : scalar::gradient_of(*program_, wanted.bits()).sources) {
    if (source.kind == scalar::Source::Kind::kInput) needs.inputs.add(source.index);
    if (source.kind == scalar::Source::Kind::kOutput) needs.outputs.add(source.index);
  }
  return needs;
}

Gradients ElementwiseOp::gradient(const Recorded& call) const {
  IndexSet wanted;
  for (size_t i = 0; i < call.inputs(); ++i)
    if (call.wants(i)) wanted.add(i);
  const scalar::Gradient& gradient = scalar::gradient_of(*program_, wanted.bits());

  Tensors computed;
  if (gradient.program != nullptr) {
    ElementwiseOp op(*gradient.program);
    op.parameters = parameters;
    InlineVector<const Tensor*, 4> read;
    for (scalar::Source source : gradient.sources) read.push_back(&find(call, source));
    computed = dispatch_all(op, TensorRefs(std::span<const Tensor* const>(read)));
  }

  Gradients gradients;
  for (size_t i = 0; i < call.inputs(); ++i) {
    const scalar::Partial partial = gradient.partials[i];
    const Spec& input = call.input_spec(i);
    switch (partial.kind) {
      case scalar::Partial::Kind::kNone: gradients.emplace_back(); break;
      case scalar::Partial::Kind::kZero:
        gradients.push_back(sum_to(cast(zeros_like(call.dy()), input.dtype), input.shape));
        break;
      case scalar::Partial::Kind::kDy:
        gradients.push_back(sum_to(call.dy(partial.index), input.shape));
        break;
      case scalar::Partial::Kind::kComputed:
        gradients.push_back(sum_to(computed[partial.index], input.shape));
        break;
    }
  }
  return gradients;
}

Tensor Argument::as(DType dtype, const char* who) const {
  if (!is_number()) {
    require(tensor_.defined(), "{}: an input is not defined yet.", who);
    return tensor_;
  }
  require(number_.fits(dtype),
          "{}: {} is not a value of {}, the dtype of the tensor beside it. Use cast().", who,
          number_.as_double(), dtype);
  return Tensor(number_, dtype);
}

DType common_dtype(const char* who, std::initializer_list<const Argument*> arguments) {
  const auto first = std::find_if(arguments.begin(), arguments.end(),
                                  [](const Argument* x) { return !x->is_number(); });
  require(first != arguments.end(), "{}: one of the arguments must be a tensor.", who);
  require((*first)->tensor().defined(), "{}: an input is not defined yet.", who);
  return (*first)->tensor().dtype();
}

const scalar::Program& Elementwise::program(DType dtype) const {
  const scalar::Program* program =
      programs_[static_cast<int>(dtype)].load(std::memory_order_acquire);
  return program != nullptr ? *program : make_program(dtype);
}

/// Records the function for one dtype. 16-bit floats are computed in float32 and rounded at the
/// end.
const scalar::Program& Elementwise::make_program(DType dtype) const {
  require(dtypes_.contains(dtype), "{}: takes {}. Got {}.{}", name_, dtypes_, dtype,
          dtype == string ? "" : " Use cast().");
  scalar::Builder builder;
  const DType computed = is_half(dtype) ? float32 : dtype;
  const Scalar first = builder.input(options_.condition ? boolean : dtype);
  std::array<Scalar, 3> arguments{first, first, first};
  for (int i = 1; i < inputs_; ++i) arguments[i] = builder.input(dtype);
  for (int i = 0; i < inputs_; ++i)
    if (i > 0 || !options_.condition) arguments[i] = scalar::cast(arguments[i], computed);
  for (int i = 0; i < options_.parameters; ++i)
    arguments[inputs_ + i] = builder.parameter(computed);

  const auto [a, b, c] = arguments;
  Scalar result = f1_ != nullptr ? f1_(a) : f2_ != nullptr ? f2_(a, b) : f3_(a, b, c);
  if (result.dtype() == computed) result = scalar::cast(result, dtype);

  const scalar::Program* made = builder.finish(name_, {&result, 1}, options_.gradient).release();
  const scalar::Program* expected = nullptr;
  if (programs_[static_cast<int>(dtype)].compare_exchange_strong(expected, made)) return *made;
  delete made;  // another thread was faster
  return *expected;
}

void Elementwise::check_inputs(int given) const {
  require(given == inputs_, "{}: takes {} tensors. Got {}.", name_, inputs_, given);
}

Tensor Elementwise::operator()(const Tensor& x) const {
  check_inputs(1);
  require(x.defined(), "{}: the input is not defined yet.", name_);
  return call(ElementwiseOp(program(x.dtype())), x);
}

Tensor Elementwise::operator()(const Tensor& a, const Tensor& b) const {
  check_inputs(2);
  require(a.defined(), "{}: the first input is not defined yet.", name_);
  const scalar::Program* known =
      programs_[static_cast<int>(a.dtype())].load(std::memory_order_acquire);
  if (known == nullptr) [[unlikely]] {
    if (a.dtype() == string && strings::is_function(name_))
      return strings::call_function(name_, a, b);
    known = &make_program(a.dtype());
  }
  return call(ElementwiseOp(*known), a, b);
}

Tensor Elementwise::call_with_number(const Argument& a, const Argument& b) const {
  const DType dtype = common_dtype(name_, {&a, &b});
  return (*this)(a.as(dtype, name_), b.as(dtype, name_));
}

Tensor Elementwise::operator()(const Argument& a, const Argument& b, const Argument& c) const {
  check_inputs(3);
  const DType dtype =
      options_.condition ? common_dtype(name_, {&b, &c}) : common_dtype(name_, {&a, &b, &c});
  if (dtype == string && strings::is_function(name_)) [[unlikely]]
    return strings::call_function(name_, a.as(boolean, name_), b.as(dtype, name_),
                                  c.as(dtype, name_));
  return call(ElementwiseOp(program(dtype)), a.as(options_.condition ? boolean : dtype, name_),
              b.as(dtype, name_), c.as(dtype, name_));
}

Tensor Elementwise::with(std::initializer_list<double> parameters, const Tensor& x) const {
  check_inputs(1);
  require(x.defined(), "{}: the input is not defined yet.", name_);
  ElementwiseOp op(program(x.dtype()));
  std::copy(parameters.begin(), parameters.end(), op.parameters.begin());
  return call(op, x);
}

Tensors ElementwiseOp::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return call_all(*this, batching::aligned(inputs));
}

Attributes ElementwiseOp::attributes() const {
  Attributes attributes;
  add_parameters({parameters.data(), static_cast<size_t>(program_->parameter_count())}, attributes);
  add_program(*program_, attributes);
  return attributes;
}

}  // namespace alula
