#include "alula/ops/elementwise_reduce.h"

#include "alula/backends/cpu/interpreter.h"
#include "alula/backends/cpu/reduce_job.h"

namespace alula::cpu {
namespace {

/// Elements that are computed when they are needed, a piece at a time that stays in the first-level
/// cache until it is added up.
class Computed {
 public:
  Computed(const Reducer& reducer, const Elements& elements)
      : reducer_(reducer), elements_(elements) {}

  double nanoseconds() const {
    return elements_.nanoseconds() + 0.03 * static_cast<double>(reducer_.element);
  }

  void rows(int64_t position, int64_t rows, int64_t stride, int64_t n,
            std::byte* accumulators) const {
    alignas(64) std::byte piece[kPieceBytes];
    const int64_t most = kPieceBytes / reducer_.element;
    if (n == stride && n <= most / 2) {  // several rows at a time
      for (int64_t i = 0, some; i < rows; i += some) {
        some = std::min(most / n, rows - i);
        elements_(position + i * n, some * n, piece);
        reducer_.rows(piece, some, n, n, accumulators + i * reducer_.accumulator);
      }
      return;
    }
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < n; j += most) {
        const int64_t count = std::min(most, n - j);
        elements_(position + i * stride + j, count, piece);
        reducer_.rows(piece, 1, count, count, accumulators + i * reducer_.accumulator);
      }
  }

  void columns(int64_t position, int64_t rows, int64_t stride, int64_t n,
               std::byte* accumulators) const {
    alignas(64) std::byte piece[kPieceBytes];
    const int64_t most = kPieceBytes / reducer_.element;
    if (n == stride && n * kRows <= most) {  // the rows follow one another
      const int64_t some = most / n / kRows * kRows;
      for (int64_t i = 0; i < rows; i += some) {
        const int64_t count = std::min(some, rows - i);
        elements_(position + i * n, count * n, piece);
        reducer_.columns(piece, count, n, n, accumulators);
      }
      return;
    }
    const int64_t width = std::min(n, most / kRows);
    for (int64_t j = 0; j < n; j += width)
      for (int64_t i = 0; i < rows; i += kRows) {
        const int64_t across = std::min(width, n - j), down = std::min(kRows, rows - i);
        for (int64_t k = 0; k < down; ++k)
          elements_(position + (i + k) * stride + j, across, piece + k * across * reducer_.element);
        reducer_.columns(piece, down, across, across, accumulators + j * reducer_.accumulator);
      }
  }

 private:
  static constexpr int64_t kPieceBytes = 16384;
  static constexpr int64_t kRows = 16;  // that are added up in registers

  const Reducer& reducer_;
  const Elements& elements_;
};

Reduction reduction_of(ElementwiseReduce::Kind kind) {
  switch (kind) {
    case ElementwiseReduce::Kind::kSum: return Reduction::kSum;
    case ElementwiseReduce::Kind::kMean: return Reduction::kMean;
    case ElementwiseReduce::Kind::kProd: return Reduction::kProd;
    case ElementwiseReduce::Kind::kMax: return Reduction::kMax;
    default: return Reduction::kMin;
  }
}

const RegisterKernel<DeviceType::kCPU, ElementwiseReduce> registered{
    [](const ElementwiseReduce& op, const KernelCall& call) {
      const View& out = call.outputs[0];
      if (out.size() == 0) return;
      InlineVector<const Spec*, 8> specs;
      for (const View& input : call.inputs) specs.push_back(input.spec);
      const Spec spec = op.elements(SpecRefs(std::span<const Spec* const>(specs)));
      const Reducer& reducer = find_reducer(reduction_of(op.kind), spec.dtype);
      if (spec.shape.size() == 0) return fill_empty(reducer, out);
      const Elements elements(Code::of(*op.program), call.inputs, spec, op.parameters);
      const Blocks blocks(spec.shape, op.axis.among(op.kName, spec.shape.rank()));
      ReduceJob(reducer, blocks, Computed(reducer, elements), out.data).run();
      elements.check();
    }};

}  // namespace
}  // namespace alula::cpu
