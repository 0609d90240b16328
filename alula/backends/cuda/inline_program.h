#pragma once
#include <array>
#include <span>
#include <string>

#include "alula/backends/cuda/card.h"
#include "alula/scalar/program.h"

/// Scalar programs inside other kernels, where values are made or read: bias and activation after a
/// product, an activation's gradient before a sum.
namespace alula::cuda {

/// The source of a struct of pointers whose operator() runs the program, and those pointers, which
/// the kernel takes as one argument.
struct InlineProgram {
  std::string source;
  std::array<void*, 64> argument{};
  int width = 4;  // elements that can be given at once: all tensors are aligned for that
};

/// `struct After`: after(x, at, column) runs the program on values x[kWidth] from element `at` on,
/// which lie in one row from `column` on, and writes its results; without a program, the values
/// themselves. Operands are of the results' shape, one row or column of it, or one value.
InlineProgram program_after(const scalar::Program* program, DType dtype,
                            std::span<const View> operands, std::span<const View> outputs);

/// `struct Before`: before(at, column) is the program's result, or without one that of the first
/// operand, whose element `at` stands in that column of its row.
InlineProgram program_before(const scalar::Program* program, std::span<const View> operands);

/// A struct of constants: `struct Name { static constexpr int kThis = 1, … }`.
std::string constants(std::string_view name,
                      std::span<const std::pair<std::string_view, int64_t>> values);

}  // namespace alula::cuda
