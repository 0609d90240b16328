#include "alula/ops/elementwise_reduce.h"

#include "alula/backends/cuda/codegen.h"
#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/reduction.h"

namespace alula::cuda {
namespace {

/// A Source whose elements are what the program makes of its inputs.
std::string print(const scalar::Program& program) {
  const size_t inputs = program.inputs().size();
  const std::string_view result = type_name(program.output(0));
  std::string fields, reads, given;
  for (size_t i = 0; i < inputs; ++i) {
    fields += fmt::format("  const {}* in{};\n", type_name(program.inputs()[i]), i);
    reads +=
        fmt::format("    const auto a{} = fetch<kWidth, (kPacked >> {} & 1) != 0>(in{}, at[{}]);\n",
                    i, i, i, i);
    given += fmt::format("a{}.at[v], ", i);
  }
  for (int i = 0; i < program.parameter_count(); ++i) {
    fields += fmt::format("  double p{};\n", i);
    given += fmt::format("p{}, ", i);
  }
  return compute_function(program, "element") + fmt::format(R"(
template <unsigned kPacked> struct Computed {{
  typedef {0} Element;
  static constexpr int kInputs = {1};
{2}
  template <int kWidth, class Index>
  __device__ __forceinline__ void read(const Index (&at)[{1}], {0}* to) const {{
{3}#pragma unroll
    for (int v = 0; v < kWidth; ++v) compute_element({4}to[v]);
  }}
}};
)",
                                                            result, inputs, fields, reads, given);
}

const char* reducer_of(ElementwiseReduce::Kind kind) {
  switch (kind) {
    case ElementwiseReduce::Kind::kSum: return "Sum";
    case ElementwiseReduce::Kind::kMean: return "Mean";
    case ElementwiseReduce::Kind::kProd: return "Prod";
    case ElementwiseReduce::Kind::kMax: return "Max";
    default: return "Min";
  }
}

void run(const ElementwiseReduce& op, const KernelCall& call) {
  const View& y = call.outputs[0];
  if (y.size() == 0) return;
  InlineVector<const Spec*, 8> specs;
  for (const View& input : call.inputs) specs.push_back(input.spec);
  const Spec elements = op.elements(SpecRefs(std::span<const Spec* const>(specs)));
  ReduceJob job{.shape = elements.shape,
                .reduced = op.axis.among(op.kName, elements.rank()),
                .files = "reduce reducers",
                .source = "Computed<MASK>",
                .reducer = fmt::format("{}<{}>", reducer_of(op.kind), type_name(elements.dtype)),
                .reducer_fields = {field(y.data)},
                .program = op.program,
                .print = print};
  for (const View& input : call.inputs) {
    job.inputs.push_back(input);
    job.source_fields.push_back(field(input.data));
  }
  for (int i = 0; i < op.program->parameter_count(); ++i)
    job.source_fields.push_back(field(op.parameters[static_cast<size_t>(i)]));
  const bool integer_mean =
      op.kind == ElementwiseReduce::Kind::kMean && !is_floating(elements.dtype);
  job.accumulator = integer_mean ? 8 : std::max<size_t>(size_of(elements.dtype), 4);
  reduce(call, job);
}

const RegisterGpuKernel<ElementwiseReduce> registered{&run, kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
