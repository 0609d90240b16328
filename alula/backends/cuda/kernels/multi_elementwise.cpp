#include "alula/ops/multi_elementwise.h"

#include <algorithm>
#include <limits>

#include "alula/backends/cuda/codegen.h"
#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/program_kernels.h"
#include "alula/backends/cuda/kernels/reduction.h"

namespace alula::cuda {
namespace {

/// What the op says of its program's inputs and outputs.
struct Signature {
  const scalar::Program& program;
  size_t shared, inputs, outputs, scalars;  // the inputs and outputs of a group

  explicit Signature(const MultiElementwise& op)
      : program(*op.program),
        shared(static_cast<size_t>(op.shared)),
        inputs(op.group_inputs()),
        outputs(program.results().size()),
        scalars(static_cast<size_t>(op.scalars)) {}

  /// Whether a group's input is one element.
  bool is_one(size_t input) const { return input + scalars >= inputs; }
  DType input(size_t i) const { return program.inputs()[shared + i]; }
  DType output(size_t i) const { return program.output(static_cast<int>(i)); }
  std::string_view input_type(size_t i) const { return type_name(input(i)); }
  std::string_view output_type(size_t i) const { return type_name(output(i)); }
};

/// The kernel, for packs of `width` elements and at most `most` groups. A block takes `passes`
/// times as many elements as its threads take at once.
std::string print(const Signature& s, int width, int most) {
  std::string ones, tensors, packs, results, stores, packed, single;
  for (size_t i = 0; i < s.shared; ++i) {
    ones += fmt::format("  const auto s{0} = *(const {1}*)groups.shared[{0}];\n", i,
                        type_name(s.program.inputs()[i]));
    packed += fmt::format("s{}, ", i);
    single += fmt::format("s{}, ", i);
  }
  for (size_t i = 0; i < s.inputs; ++i) {
    if (s.is_one(i)) {
      ones += fmt::format("  const auto one{0} = *(const {1}*)group.inputs[{0}];\n", i,
                          s.input_type(i));
      packed += fmt::format("one{}, ", i);
      single += fmt::format("one{}, ", i);
      continue;
    }
    tensors +=
        fmt::format("  const auto* in{0} = (const {1}*)group.inputs[{0}];\n", i, s.input_type(i));
    packs += fmt::format("      const auto a{0} = load<{1}>(in{0}, i);\n", i, width);
    packed += fmt::format("a{}.at[k], ", i);
    single += fmt::format("in{}[j], ", i);
  }
  for (int i = 0; i < s.program.parameter_count(); ++i) {
    packed += fmt::format("p{}, ", i);
    single += fmt::format("p{}, ", i);
  }
  std::string last;
  for (size_t i = 0; i < s.outputs; ++i) {
    tensors += fmt::format("  auto* out{0} = ({1}*)group.outputs[{0}];\n", i, s.output_type(i));
    results += fmt::format("      Pack<{0}, {1}> b{2};\n", s.output_type(i), width, i);
    stores += fmt::format("      store<{0}>(out{1}, i, b{1});\n", width, i);
    packed += fmt::format("b{}.at[k]{}", i, i + 1 < s.outputs ? ", " : "");
    // Read first, written last: an output may take the place of an input.
    single += fmt::format("y{}{}", i, i + 1 < s.outputs ? ", " : "");
    last += fmt::format("        out{0}[j] = y{0};\n", i);
  }
  std::string declared;
  for (size_t i = 0; i < s.outputs; ++i)
    declared += fmt::format("        {0} y{1};\n", s.output_type(i), i);
  std::string parameters;
  for (int i = 0; i < s.program.parameter_count(); ++i)
    parameters += fmt::format(", double p{}", i);
  return compute_function(s.program, "element") +
         fmt::format(
             R"(
KERNEL void BOUNDS({threads}) kernel(
    const Groups<{shared}, {in}, {out}, {most}> groups, const unsigned int passes{parameters}) {{
  const int number = groups.find(blockIdx.x);
  const auto& group = groups.at[number];
  const unsigned long long size = group.size;
{ones}{tensors}
  unsigned long long i = ((unsigned long long)(blockIdx.x - groups.first[number]) * passes *
                          {threads} + threadIdx.x) * {width};
  for (unsigned int pass = 0; pass < passes && i < size; ++pass, i += {threads} * {width}) {{
    if (i + {width} <= size) {{
{packs}{results}#pragma unroll
      for (int k = 0; k < {width}; ++k) compute_element({packed});
{stores}    }} else {{
      for (unsigned long long j = i; j < size; ++j) {{
{declared}        compute_element({single});
{last}      }}
    }}
  }}
}}
)",
             fmt::arg("threads", kBlockThreads), fmt::arg("shared", std::max<size_t>(s.shared, 1)),
             fmt::arg("in", s.inputs), fmt::arg("out", s.outputs), fmt::arg("most", most),
             fmt::arg("parameters", parameters), fmt::arg("ones", ones),
             fmt::arg("tensors", tensors), fmt::arg("width", width), fmt::arg("packs", packs),
             fmt::arg("results", results), fmt::arg("packed", packed), fmt::arg("stores", stores),
             fmt::arg("declared", declared), fmt::arg("single", single), fmt::arg("last", last));
}

/// All groups of a call, launched as many at a time as the arguments of a kernel can name.
class Launcher {
 public:
  Launcher(const MultiElementwise& op, const KernelCall& call)
      : op_(op), call_(call), signature_(op), groups_(call.outputs.size() / signature_.outputs) {
    size_t widest = 1;
    for (const View& view : call.inputs) widest = std::max(widest, size_of(view.dtype()));
    for (const View& view : call.outputs) widest = std::max(widest, size_of(view.dtype()));
    width_ = static_cast<int64_t>(16 / widest);
    int64_t elements = 0;
    for (size_t g = 0; g < groups_; ++g) {
      elements += size(g);
      if (!is_aligned(g)) width_ = 1;
    }
    // Small variables get threads enough; large ones few blocks, each with more to do.
    const int64_t block = kBlockThreads * width_;
    passes_ =
        std::clamp<int64_t>(elements / (block * 16 * current_card().multiprocessors()), 1, 16);
    const size_t each = 8 * (signature_.inputs + signature_.outputs + 1) + 4;
    constexpr size_t kArgumentBytes = 3600;  // of the 4096 that a kernel can take
    most_ = kArgumentBytes / each;
    if (groups_ <= kFew) most_ = std::min(most_, kFew);
  }

  void run() const {
    for (size_t begin = 0; begin < groups_;) begin = launch_from(begin);
  }

 private:
  static constexpr size_t kFew = 8;  // groups, for which the arguments are kept short

  const View& input(size_t group, size_t i) const {
    return call_.inputs[signature_.shared + group * signature_.inputs + i];
  }
  const View& output(size_t group, size_t i) const {
    return call_.outputs[group * signature_.outputs + i];
  }
  int64_t size(size_t group) const { return output(group, 0).size(); }

  bool is_aligned(size_t group) const {
    const auto aligned = [&](const View& view) {
      return reinterpret_cast<uintptr_t>(view.data) % (width_ * size_of(view.dtype())) == 0;
    };
    for (size_t i = 0; i < signature_.inputs; ++i)
      if (!signature_.is_one(i) && !aligned(input(group, i))) return false;
    for (size_t i = 0; i < signature_.outputs; ++i)
      if (!aligned(output(group, i))) return false;
    return true;
  }

  /// The device's struct Groups, from a group on; returns the group after the last.
  size_t launch_from(size_t group) const {
    InlineVector<uint64_t, 450> words;
    for (size_t i = 0; i < std::max<size_t>(signature_.shared, 1); ++i)
      words.push_back(i < signature_.shared ? field(call_.inputs[i].data) : 0);
    InlineVector<uint32_t, 64> first;
    int64_t blocks = 0;
    const int64_t block = kBlockThreads * width_ * passes_;
    for (; group < groups_ && first.size() < most_; ++group) {
      if (size(group) == 0) continue;
      for (size_t i = 0; i < signature_.inputs; ++i) words.push_back(field(input(group, i).data));
      for (size_t i = 0; i < signature_.outputs; ++i) words.push_back(field(output(group, i).data));
      words.push_back(static_cast<uint64_t>(size(group)));
      first.push_back(static_cast<uint32_t>(blocks));
      blocks += (size(group) + block - 1) / block;
    }
    if (blocks == 0) return group;
    const size_t each = signature_.inputs + signature_.outputs + 1;
    for (size_t i = first.size() * each; i < most_ * each; ++i) words.push_back(0);
    while (first.size() < most_ + 1) first.push_back(std::numeric_limits<uint32_t>::max());
    for (size_t i = 0; i < most_; i += 2)
      words.push_back(first[i] | (static_cast<uint64_t>(first[i + 1]) << 32));
    launch_words(words.data(), blocks);
    return group;
  }

  void launch_words(uint64_t* words, int64_t blocks) const {
    Card& card = current_card();
    const auto width = static_cast<int>(width_), most = static_cast<int>(most_);
    const std::string name =
        fmt::format("multi {} {} {} {}", signature_.shared, signature_.scalars, width, most);
    const LoadedKernel kernel = ProgramKernels::of(*op_.program).find(card, name, [&] {
      return KernelSource{"groups", "kernel", print(signature_, width, most)};
    });
    auto passes = static_cast<unsigned>(passes_);
    InlineVector<void*, 12> arguments{words, &passes};
    for (int i = 0; i < signature_.program.parameter_count(); ++i)
      arguments.push_back(const_cast<double*>(&op_.parameters[static_cast<size_t>(i)]));
    card.launch(kernel, {.blocks = {static_cast<unsigned>(blocks), 1, 1}}, arguments.data(),
                call_.queue);
  }

  const MultiElementwise& op_;
  const KernelCall& call_;
  Signature signature_;
  size_t groups_;
  int64_t width_ = 1, passes_ = 1;
  size_t most_ = 1;
};

const RegisterGpuKernel<MultiElementwise> registered{
    [](const MultiElementwise& op, const KernelCall& call) { Launcher(op, call).run(); },
    kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
