#include "alula/backends/cuda/codegen.h"

#include <bit>
#include <cmath>
#include <limits>

namespace alula::cuda {
namespace {

using scalar::Instruction;
using scalar::Opcode;

/// A constant to the last bit.
std::string literal(const Instruction& step) {
  if (!is_floating(step.dtype)) {
    if (step.integer == std::numeric_limits<int64_t>::min())
      return fmt::format("op_cast<{}>(-{}LL - 1)", type_name(step.dtype),
                         std::numeric_limits<int64_t>::max());
    return fmt::format("({})({}LL)", type_name(step.dtype), step.integer);
  }
  const DType computed = is_half(step.dtype) ? float32 : step.dtype;
  const std::string number =
      computed == float32
          ? fmt::format("float_of(0x{:08x}u)",
                        std::bit_cast<uint32_t>(static_cast<float>(step.number)))
          : fmt::format("double_of(0x{:016x}ull)", std::bit_cast<uint64_t>(step.number));
  // The number itself is there for whoever reads the source.
  return fmt::format("op_cast<{}>({} /* {} */)", type_name(step.dtype), number, step.number);
}

std::string expression(const scalar::Program& program, const Instruction& step) {
  switch (step.opcode) {
    case Opcode::kInput: return fmt::format("x{}", step.index);
    case Opcode::kParameter:
      return fmt::format("op_cast<{}>(p{})", type_name(step.dtype), step.index);
    case Opcode::kConstant: return literal(step);
    case Opcode::kCast:
      return fmt::format("op_cast<{}>(v{})", type_name(step.dtype), step.operands[0]);
    default: break;
  }
  const int count = scalar::operand_count(step.opcode);
  const DType operand = program.code()[step.operands[count - 1]].dtype;
  require<InternalError>(!is_half(operand) || step.opcode == Opcode::kSelect,
                         "{}: the GPU has no {} of {}.", program.name(),
                         scalar::name_of(step.opcode), operand);
  std::string text = fmt::format("op_{}(", scalar::name_of(step.opcode));
  for (int k = 0; k < count; ++k)
    text += fmt::format("{}v{}", k == 0 ? "" : ", ", step.operands[k]);
  return text + ")";
}

/// A kernel's text, put together piece by piece.
class KernelWriter {
 public:
  KernelWriter(const scalar::Program& program, const Pattern& pattern, std::string_view name)
      : program_(program),
        pattern_(pattern),
        name_(name),
        inputs_(program.inputs().size()),
        outputs_(program.results().size()),
        index_(pattern.wide ? "unsigned long long" : "unsigned int") {
    for (Access access : pattern.inputs)
      rows_ += access == Access::kRow || access == Access::kRowOne;
  }

  std::string write() {
    head();
    packs();
    if (rows_ == 0 && pattern_.width > 1) tail();
    return text_ + "}\n";
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  void head() {
    line("KERNEL void BOUNDS({}) {}(", kBlockThreads, name_);
    for (size_t i = 0; i < inputs_; ++i)
      line("    const {}* in{},", type_name(program_.inputs()[i]), i);
    for (size_t i = 0; i < outputs_; ++i)
      line("    {}* out{},", type_name(program_.output(static_cast<int>(i))), i);
    std::string last =
        rows_ > 0 ? fmt::format("const Rows<{}, {}, {}> rows", pattern_.rank, rows_, index_)
                  : fmt::format("const {} count", index_);
    for (int i = 0; i < program_.parameter_count(); ++i) last += fmt::format(", double p{}", i);
    line("    {}) {{", last);
    if (rows_ > 0) line("  const {} count = rows.count;", index_);
    for (size_t i = 0; i < inputs_; ++i)
      if (pattern_.inputs[i] == Access::kOne)
        line("  const {} one{} = *in{};", type_name(program_.inputs()[i]), i, i);
  }

  /// Each thread takes `width` neighbours at a time.
  void packs() {
    const int width = pattern_.width;
    line("  for ({} i = first<{}>(); i < count / {}; i += stride<{}>()) {{", index_, index_, width,
         index_);
    if (rows_ > 0) line("    {} from[{}];\n    rows.find(i * {}, from);", index_, rows_, width);
    int row = 0;
    for (size_t i = 0; i < inputs_; ++i) {
      const Access access = pattern_.inputs[i];
      if (access == Access::kSame)
        line("    const auto a{} = load<{}>(in{}, i * {});", i, width, i, width);
      if (access == Access::kRow)
        line("    const auto a{} = load<{}>(in{}, from[{}]);", i, width, i, row);
      if (access == Access::kRowOne) line("    const auto one{} = in{}[from[{}]];", i, i, row);
      row += access == Access::kRow || access == Access::kRowOne;
    }
    for (size_t i = 0; i < outputs_; ++i)
      line("    Pack<{}, {}> b{};", type_name(program_.output(static_cast<int>(i))), width, i);
    line("#pragma unroll\n    for (int k = 0; k < {}; ++k)", width);
    line("      {};", call(".at[k]"));
    for (size_t i = 0; i < outputs_; ++i)
      line("    store<{}>(out{}, i * {}, b{});", width, i, width, i);
    line("  }}");
  }

  /// What is left over when the count is no multiple of `width`.
  void tail() {
    line("  for ({} i = count / {} * {} + first<{}>(); i < count; i += stride<{}>())", index_,
         pattern_.width, pattern_.width, index_, index_);
    line("    {};", call(""));
  }

  /// The call for one element: of the packs if `element` says which, else of the tensors.
  std::string call(std::string_view element) const {
    std::string text = fmt::format("compute_{}(", name_);
    for (size_t i = 0; i < inputs_; ++i) {
      const Access access = pattern_.inputs[i];
      if (access == Access::kOne || access == Access::kRowOne)
        text += fmt::format("one{}, ", i);
      else
        text += element.empty() ? fmt::format("in{}[i], ", i) : fmt::format("a{}{}, ", i, element);
    }
    for (int i = 0; i < program_.parameter_count(); ++i) text += fmt::format("p{}, ", i);
    for (size_t i = 0; i < outputs_; ++i) {
      text += element.empty() ? fmt::format("out{}[i]", i) : fmt::format("b{}{}", i, element);
      text += i + 1 < outputs_ ? ", " : ")";
    }
    return text;
  }

  const scalar::Program& program_;
  const Pattern& pattern_;
  std::string_view name_;
  size_t inputs_, outputs_;
  std::string_view index_;
  int rows_ = 0;
  std::string text_;
};

}  // namespace

std::string compute_function(const scalar::Program& program, std::string_view name) {
  std::string text = fmt::format("static __device__ __forceinline__ void compute_{}(", name);
  for (size_t i = 0; i < program.inputs().size(); ++i)
    text += fmt::format("{} x{}, ", type_name(program.inputs()[i]), i);
  for (int i = 0; i < program.parameter_count(); ++i) text += fmt::format("double p{}, ", i);
  const auto outputs = static_cast<int>(program.results().size());
  for (int i = 0; i < outputs; ++i)
    text +=
        fmt::format("{}& y{}{}", type_name(program.output(i)), i, i + 1 < outputs ? ", " : ") {\n");
  for (size_t i = 0; i < program.code().size(); ++i)
    text += fmt::format("  const {} v{} = {};\n", type_name(program.code()[i].dtype), i,
                        expression(program, program.code()[i]));
  for (int i = 0; i < outputs; ++i) text += fmt::format("  y{} = v{};\n", i, program.results()[i]);
  return text + "}\n";
}

std::string kernel_source(const scalar::Program& program, const Pattern& pattern,
                          std::string_view name) {
  return compute_function(program, name) + KernelWriter(program, pattern, name).write();
}

Arguments::Arguments(const Layout& layout, std::span<const View> inputs,
                     std::span<const View> outputs, std::span<const double> parameters) {
  for (const View& input : inputs) pointers_.push_back(const_cast<void**>(&input.data));
  for (const View& output : outputs) pointers_.push_back(const_cast<void**>(&output.data));
  pointers_.push_back(const_cast<void*>(layout.argument()));
  for (const double& parameter : parameters) pointers_.push_back(const_cast<double*>(&parameter));
}

}  // namespace alula::cuda
