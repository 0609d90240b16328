#include "alula/scalar/gradient.h"

#include <algorithm>
#include <optional>

#include "alula/scalar/gradient_rules.h"

namespace alula::scalar {
namespace {

bool contains(uint64_t set, size_t i) { return ((set >> std::min<size_t>(i, 63)) & 1) != 0; }

/// 16-bit numbers are computed in float32.
DType computed(DType dtype) { return is_half(dtype) ? float32 : dtype; }

/// Builds the gradient of one program, in reverse mode.
class Reverse {
 public:
  Reverse(const Program& program, uint64_t wanted)
      : program_(program),
        code_(program.code()),
        wanted_(wanted),
        builder_(Recording::kSimplified),
        values_(code_.size()),
        adjoints_(code_.size()) {
    for (DType dtype : program.inputs()) inputs_.push_back(builder_.input(dtype));
    for (size_t k = 0; k < results(); ++k) outputs_.push_back(builder_.input(program.output(k)));
    for (size_t k = 0; k < results(); ++k) dy_.push_back(builder_.input(program.output(k)));
    save_values();
  }

  std::unique_ptr<Gradient> operator()();

 private:
  size_t results() const { return program_.results().size(); }
  bool is_given(size_t input) const {
    return input < 3 && static_cast<bool>(program_.given_gradient()[input]);
  }
  bool is_wanted(size_t input) const {
    return contains(wanted_, input) && is_floating(program_.inputs()[input]);
  }

  void save_values();
  Scalar value(uint16_t position);
  void mark_paths();
  void add(uint16_t position, Scalar contribution);
  void differentiate();
  Scalar given(size_t input);
  Partial partial(size_t input, Scalar gradient, std::vector<Scalar>& computed_results) const;
  void compact(Gradient& gradient, std::span<const Scalar> results) const;

  const Program& program_;
  const std::vector<Instruction>& code_;
  uint64_t wanted_;
  Builder builder_;
  std::vector<Scalar> inputs_, outputs_, dy_;
  std::vector<std::optional<Scalar>> values_;    // of the function's instructions, where known
  std::vector<std::optional<Scalar>> adjoints_;  // the gradient with respect to each of them
  std::vector<bool> on_path_;                    // whether a wanted input can be reached from it
};

/// Takes the function's results from its outputs rather than computing them again.
void Reverse::save_values() {
  for (size_t k = 0; k < results(); ++k) {
    const uint16_t position = program_.results()[k];
    const Instruction& step = code_[position];
    if (operand_count(step.opcode) == 0) continue;
    values_[position] = outputs_[k];
    const bool rounded = step.opcode == Opcode::kCast && is_half(step.dtype) &&
                         code_[step.operands[0]].dtype == float32 &&
                         operand_count(code_[step.operands[0]].opcode) > 0;
    if (rounded) values_[step.operands[0]] = cast(outputs_[k], float32);
  }
}

/// The value of an instruction of the function, computed again if it is not at hand.
Scalar Reverse::value(uint16_t position) {
  if (values_[position]) return *values_[position];
  Instruction step = code_[position];
  if (step.opcode == Opcode::kInput) {
    values_[position] = inputs_[step.index];
  } else {
    for (int k = 0; k < operand_count(step.opcode); ++k)
      step.operands[k] = value(step.operands[k]).position();
    values_[position] = builder_.add(step);
  }
  return *values_[position];
}

/// Finds the instructions through which the results depend on inputs that are to be differentiated.
void Reverse::mark_paths() {
  on_path_.assign(code_.size(), false);
  for (size_t i = 0; i < code_.size(); ++i) {
    const Instruction& step = code_[i];
    if (!is_floating(step.dtype)) continue;
    if (step.opcode == Opcode::kInput) {
      const auto input = static_cast<size_t>(step.index);
      on_path_[i] = is_wanted(input) && !is_given(input);
    }
    for (int k = 0; k < operand_count(step.opcode); ++k)
      if (has_gradient(step.opcode, k) && on_path_[step.operands[k]]) on_path_[i] = true;
  }
}

/// Adds to the gradient with respect to an instruction's value. Those of 16 bits are added up in
/// float32.
void Reverse::add(uint16_t position, Scalar contribution) {
  const Scalar wide = cast(contribution, computed(code_[position].dtype));
  std::optional<Scalar>& sum = adjoints_[position];
  sum = sum ? *sum + wide : wide;
}

void Reverse::differentiate() {
  mark_paths();
  for (size_t k = 0; k < results(); ++k)
    if (on_path_[program_.results()[k]]) add(program_.results()[k], dy_[k]);
  for (size_t i = code_.size(); i-- > 0;) {
    if (!adjoints_[i] || !on_path_[i]) continue;
    const Instruction& step = code_[i];
    const auto position = static_cast<uint16_t>(i);
    for (int k = 0; k < operand_count(step.opcode); ++k) {
      if (!has_gradient(step.opcode, k) || !on_path_[step.operands[k]]) continue;
      const Step rule{.opcode = step.opcode,
                      .operand = [&](int n) { return value(step.operands[n]); },
                      .own = [&] { return value(position); },
                      .dy = *adjoints_[i]};
      add(step.operands[k], contribution(rule, k));
    }
  }
}

/// The gradient that is given with the function, for one input.
Scalar Reverse::given(size_t input) {
  std::vector<Scalar> arguments;
  for (const std::vector<Scalar>& values : {inputs_, outputs_, dy_})
    for (Scalar value : values) arguments.push_back(cast(value, computed(value.dtype())));
  for (int i = 0; i < program_.parameter_count(); ++i)
    arguments.push_back(builder_.parameter(computed(program_.output())));
  return program_.given_gradient()[input](arguments);
}

/// Says what the gradient of an input is, and notes it if it has to be computed.
Partial Reverse::partial(size_t input, Scalar gradient,
                         std::vector<Scalar>& computed_results) const {
  const Scalar rounded = cast(gradient, program_.inputs()[input]);
  const Instruction& step = builder_[rounded];
  if (step.opcode == Opcode::kConstant && step.number == 0) return {Partial::Kind::kZero};
  for (size_t k = 0; k < dy_.size(); ++k)
    if (rounded.position() == dy_[k].position()) return {Partial::Kind::kDy, static_cast<int>(k)};
  computed_results.push_back(rounded);
  return {Partial::Kind::kComputed, static_cast<int>(computed_results.size()) - 1};
}

/// Makes the program of those instructions that are needed for the results.
void Reverse::compact(Gradient& gradient, std::span<const Scalar> results) const {
  if (results.empty()) return;
  const std::vector<Instruction>& code = builder_.code();
  std::vector<bool> live(code.size(), false);
  for (Scalar result : results) live[result.position()] = true;
  for (size_t i = code.size(); i-- > 0;)
    for (int k = 0; live[i] && k < operand_count(code[i].opcode); ++k)
      live[code[i].operands[k]] = true;

  std::vector<uint16_t> moved(code.size(), 0);
  std::vector<Instruction> kept;
  for (size_t i = 0; i < code.size(); ++i) {
    if (!live[i]) continue;
    Instruction step = code[i];
    for (int k = 0; k < operand_count(step.opcode); ++k) step.operands[k] = moved[step.operands[k]];
    if (step.opcode == Opcode::kInput) {
      const auto inputs = static_cast<int64_t>(inputs_.size());
      const auto outputs = static_cast<int64_t>(outputs_.size());
      const int64_t n = step.index;
      using Kind = Source::Kind;
      gradient.sources.push_back(n < inputs ? Source{Kind::kInput, static_cast<int>(n)}
                                 : n < inputs + outputs
                                     ? Source{Kind::kOutput, static_cast<int>(n - inputs)}
                                     : Source{Kind::kDy, static_cast<int>(n - inputs - outputs)});
      step.index = static_cast<int64_t>(gradient.sources.size()) - 1;
    }
    moved[i] = static_cast<uint16_t>(kept.size());
    kept.push_back(step);
  }
  std::vector<uint16_t> positions;
  for (Scalar result : results) positions.push_back(moved[result.position()]);
  gradient.program = std::make_unique<Program>(program_.name() + "_gradient", std::move(kept),
                                               std::move(positions));
}

std::unique_ptr<Gradient> Reverse::operator()() {
  auto gradient = std::make_unique<Gradient>();
  gradient->wanted = wanted_;
  gradient->partials.resize(inputs_.size());
  if (program_.given_gradient().is_none()) return gradient;
  differentiate();
  std::vector<std::optional<Scalar>> found(inputs_.size());
  for (size_t i = 0; i < code_.size(); ++i)
    if (code_[i].opcode == Opcode::kInput) found[code_[i].index] = adjoints_[i];
  std::vector<Scalar> results;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!is_wanted(i)) continue;
    if (is_given(i)) found[i] = given(i);
    if (found[i]) gradient->partials[i] = partial(i, *found[i], results);
  }
  compact(*gradient, results);
  return gradient;
}

/// Those of the wanted inputs that can have a gradient, so that asking for all makes no second
/// copy.
uint64_t differentiable(const Program& program, uint64_t wanted) {
  uint64_t inputs = 0;
  for (size_t i = 0; i < program.inputs().size(); ++i)
    if (is_floating(program.inputs()[i])) inputs |= uint64_t{1} << std::min<size_t>(i, 63);
  return wanted & inputs;
}

const Gradient* find(const Gradient* list, uint64_t wanted) {
  while (list != nullptr && list->wanted != wanted) list = list->next.get();
  return list;
}

}  // namespace

const Gradient& gradient_of(const Program& program, uint64_t wanted) {
  wanted = differentiable(program, wanted);
  Gradient* head = program.gradients_.load(std::memory_order_acquire);
  if (const Gradient* found = find(head, wanted)) return *found;
  std::unique_ptr<Gradient> made = Reverse(program, wanted)();
  do {
    // Another thread may have been faster.
    if (const Gradient* found = find(head, wanted)) {
      (void)made->next.release();
      return *found;
    }
    (void)made->next.release();
    made->next.reset(head);
  } while (!program.gradients_.compare_exchange_weak(head, made.get(), std::memory_order_acq_rel));
  return *made.release();
}

}  // namespace alula::scalar
