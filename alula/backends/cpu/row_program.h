#pragma once
#include "alula/backends/cpu/gemm.h"
#include "alula/backends/cpu/interpreter.h"

namespace alula::cpu {

/// An elementwise function of values that a kernel makes part by part, while they are in the cache.
/// The function's other operands are of the results' shape, one row or column of it, or single
/// values.
class RowProgram {
 public:
  /// `operands` are those behind the first, the values. The views must live as long as this.
  RowProgram(const scalar::Program& program, std::span<const View> operands,
             std::span<const View> outputs)
      : code_(Code::of(program)),
        dtype_(program.inputs()[0]),
        operands_(operands),
        outputs_(outputs),
        columns_(outputs[0].shape().rank() == 0 ? 1 : outputs[0].shape().back()) {}

  int64_t columns() const { return columns_; }
  /// Where output k has a part's first element.
  void* output(const Part& part, size_t k = 0) const {
    return at(outputs_[k], part.row * columns_ + part.column);
  }
  /// Computes a part whose elements are adjacent, whole rows or a piece of one. `values` may be
  /// where an output has it.
  void run(const Part& part, void* values) const;
  /// Computes everything.
  void run(void* values) const;

 private:
  static void* at(const View& view, int64_t offset) {
    return view.as<std::byte>() + offset * static_cast<int64_t>(size_of(view.dtype()));
  }
  View within(const View& operand, const Part& part, Spec& spec) const;

  const Code& code_;
  DType dtype_;
  std::span<const View> operands_, outputs_;
  int64_t columns_;
};

}  // namespace alula::cpu
