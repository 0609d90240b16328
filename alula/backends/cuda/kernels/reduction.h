#pragma once
#include <bit>
#include <bitset>
#include <string>

#include "alula/backends/cuda/card.h"
#include "alula/scalar/program.h"

/// Reductions of any kind, by the kernels of device/reduce.cuh.
namespace alula::cuda {

/// The fields of an object of device code: addresses and numbers of 8 bytes.
using Fields = InlineVector<uint64_t, 12>;
inline uint64_t field(const void* address) { return reinterpret_cast<uint64_t>(address); }
inline uint64_t field(double number) { return std::bit_cast<uint64_t>(number); }

/// A tensor that is read, whose shape broadcasts to that of the elements.
struct ReduceInput {
  const void* data;
  size_t element;  // bytes
  Shape shape;

  ReduceInput(const void* data, size_t element, const Shape& shape)
      : data(data), element(element), shape(shape) {}
  ReduceInput(const View& view)
      : data(view.data), element(size_of(view.dtype())), shape(view.shape()) {}
};

/// What is reduced, and how: a Source and a Reducer of device code by their types, with their
/// fields.
struct ReduceJob {
  Shape shape;                          // of the elements
  std::bitset<kMaxRank> reduced;        // which of its dimensions
  InlineVector<ReduceInput, 4> inputs;  // what the source reads, in its order
  std::string files;                    // "reduce" and what else the types need
  /// "Stored<float>". MASK in it stands for which of the inputs are read in packs, as bits; the
  /// others are one element for a whole pack.
  std::string source;
  Fields source_fields;
  std::string reducer;  // "Sum<float>"
  Fields reducer_fields;
  size_t accumulator = 4;  // bytes, of the reducer
  /// Where the source is made of a program, what prints it.
  const scalar::Program* program = nullptr;
  std::string (*print)(const scalar::Program& program) = nullptr;
};
void reduce(const KernelCall& call, const ReduceJob& job);

}  // namespace alula::cuda
