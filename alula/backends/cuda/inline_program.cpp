#include "alula/backends/cuda/inline_program.h"

#include "alula/backends/cuda/codegen.h"
#include "alula/ops/matmul_elementwise.h"

namespace alula::cuda {
namespace {

/// Where a row-wise kernel finds an operand's element, beside results of a shape.
std::string index_of(const View& operand, const Shape& results) {
  if (operand.shape() == results) return "at";
  if (is_column_of(operand.shape(), results)) return fmt::format("at / {}", results.back());
  return operand.size() == 1 ? "0" : "column";
}

/// Whether neighbours in a row have an element each.
bool goes_along(const View& operand, const Shape& results) {
  return operand.size() > 1 && !is_column_of(operand.shape(), results);
}

/// The pointers of a struct, one line a tensor, and what fills them.
class Members {
 public:
  explicit Members(InlineProgram& program) : program_(program) {}

  void add(std::string_view kind, std::string_view name, size_t i, const View& view) {
    require<InternalError>(count_ < program_.argument.size(),
                           "GPU: a fused kernel takes at most {} tensors.",
                           program_.argument.size());
    program_.source += fmt::format("  {}{}* {}{};\n", kind, type_name(view.dtype()), name, i);
    program_.argument[count_++] = view.data;
  }

 private:
  InlineProgram& program_;
  size_t count_ = 0;
};

/// The most neighbours that every tensor which goes along with the results lets one access have.
int widest(std::span<const View> operands, std::span<const View> outputs) {
  int width = 4;
  const auto limit = [&width](const View& view) {
    const auto bytes = static_cast<int>(size_of(view.dtype()));
    while (width > 1 &&
           (width * bytes > 16 || reinterpret_cast<uintptr_t>(view.data) % (width * bytes) != 0))
      width /= 2;
  };
  for (const View& view : operands)
    if (goes_along(view, outputs[0].shape())) limit(view);
  for (const View& view : outputs) limit(view);
  return width;
}

}  // namespace

InlineProgram program_after(const scalar::Program* program, DType dtype,
                            std::span<const View> operands, std::span<const View> outputs) {
  InlineProgram result{.source = {}, .argument = {}, .width = widest(operands, outputs)};
  std::string& text = result.source;
  if (program != nullptr) text += compute_function(*program, "after");
  text += "struct After {\n";
  Members members(result);
  const size_t results = program == nullptr ? 1 : program->results().size();
  for (size_t i = 0; i < operands.size(); ++i) members.add("const ", "in", i + 1, operands[i]);
  for (size_t i = 0; i < results; ++i) members.add("", "out", i, outputs[i]);
  text += fmt::format(
      "  template <int kWidth>\n  __device__ __forceinline__ void operator()(const {} "
      "(&x)[kWidth], long long at, int column) const {{\n",
      type_name(dtype));
  std::string call;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string index = index_of(operands[i], outputs[0].shape());
    const bool each = goes_along(operands[i], outputs[0].shape());
    text += each ? fmt::format("    const auto a{0} = load<kWidth>(in{0}, {1});\n", i + 1, index)
                 : fmt::format("    const auto a{0} = in{0}[{1}];\n", i + 1, index);
    call += fmt::format(", a{}{}", i + 1, each ? ".at[k]" : "");
  }
  for (size_t i = 0; i < results; ++i) {
    text += fmt::format("    Pack<{}, kWidth> b{};\n", type_name(outputs[i].dtype()), i);
    call += fmt::format(", b{}.at[k]", i);
  }
  text += "#pragma unroll\n    for (int k = 0; k < kWidth; ++k) ";
  text += program == nullptr ? "b0.at[k] = x[k];\n" : fmt::format("compute_after(x[k]{});\n", call);
  for (size_t i = 0; i < results; ++i)
    text += fmt::format("    store<kWidth>(out{}, at, b{});\n", i, i);
  text += "  }\n};\n";
  return result;
}

InlineProgram program_before(const scalar::Program* program, std::span<const View> operands) {
  InlineProgram result{.source = {}, .argument = {}, .width = 1};
  std::string& text = result.source;
  if (program != nullptr) text += compute_function(*program, "before");
  text += "struct Before {\n";
  Members members(result);
  for (size_t i = 0; i < operands.size(); ++i) members.add("const ", "in", i, operands[i]);
  const std::string_view type = type_name(operands[0].dtype());
  text += fmt::format(
      "  __device__ __forceinline__ {} operator()(long long at, int column) const {{\n", type);
  if (program == nullptr) {
    text += "    return in0[at];\n";
  } else {
    text += fmt::format("    {} y;\n    compute_before(", type_name(program->output()));
    for (size_t i = 0; i < operands.size(); ++i)
      text += fmt::format("in{}[{}], ", i, index_of(operands[i], operands[0].shape()));
    text += fmt::format("y);\n    return op_cast<{}>(y);\n", type);
  }
  text += "  }\n};\n";
  return result;
}

std::string constants(std::string_view name,
                      std::span<const std::pair<std::string_view, int64_t>> values) {
  std::string text = fmt::format("struct {} {{\n", name);
  for (const auto& [constant, value] : values)
    text += fmt::format("  static constexpr int {} = {};\n", constant, value);
  return text + "};\n";
}

}  // namespace alula::cuda
