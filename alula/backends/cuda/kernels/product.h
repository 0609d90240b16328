#pragma once
#include <optional>

#include "alula/backends/cuda/inline_program.h"
#include "alula/backends/cuda/layout.h"
#include "alula/ops/matmul.h"

/// Products of matrices by kernels of our own (device/product.cuh): for any dtype, for factors that
/// are no matrices in memory (convolutions), for results that go through a program, and for
/// products too small for a library's kernels to share among multiprocessors.
namespace alula::cuda {

/// The device code's struct of this name.
struct ProductPlace {
  long long batch_step = 0, row_step = 0;
  int column_step = 0;
};

/// The device code's structs ProductBatch and Matrix: [lines, k], or [k, lines], with `row`
/// elements in a row, and where the matrices of a batch are.
inline constexpr size_t kMaxBatchRank = 8;
struct ProductBatch {
  int dims[kMaxBatchRank] = {};
  long long steps[kMaxBatchRank] = {};
};
struct ProductMatrix {
  const void* data;
  int lines, row;
  ProductBatch batch;
};

/// [m, k] times [k, n], for each matrix of a batch.
struct ProductShape {
  DType dtype;
  int64_t m, n, k, batch = 1;
  ProductPlace place;
  int64_t size;     // elements of the result, all matrices together
  int64_t columns;  // elements of a row of it
};

/// How a product is cut up: what a block computes, and into how many parts k is cut.
struct ProductWork {
  int m, n, k, each_m, each_n;
  int64_t parts = 1, each = 0;

  ProductWork(int m, int n, int k, int each_m, int each_n)
      : m(m), n(n), k(k), each_m(each_m), each_n(each_n) {}
  int64_t tiles(const ProductShape& shape) const;
  std::string source() const;
  Grid grid(const ProductShape& shape) const;
};
ProductWork cut_product(const ProductShape& shape);

/// How a product is shared out whose elements have `lanes` threads each (a part of a warp, or a
/// block), which load `terms` at once.
struct SmallProduct {
  int lanes, terms;
  Divider columns, rows;
  unsigned elements;
  Grid grid;
};
/// None if the product is not small.
std::optional<SmallProduct> small_product(const ProductShape& shape);

/// Adds the parts of a product, if there are several, and gives its elements to the program.
void finish_product(const KernelCall& call, const ProductShape& shape, const void* parts,
                    DType parts_dtype, int64_t count, const InlineProgram& after);

/// The dtype that sums of products are made in.
inline DType sum_dtype(DType dtype) { return is_half(dtype) ? float32 : dtype; }

/// A factor as device code sees it: the type and its value, and the source that it needs.
template <class Value>
struct ProductFactor {
  std::string type;
  Value value;
};

/// Multiplies, and gives the results to `after`, which program_after made.
template <class A, class B>
void run_product(const KernelCall& call, const ProductShape& shape, std::string_view files,
                 const std::string& own, const ProductFactor<A>& a, const ProductFactor<B>& b,
                 const InlineProgram& after) {
  if (const std::optional<SmallProduct> small = small_product(shape)) {
    launch(call,
           {files,
            fmt::format("small_product<{}, {}, {}, {}, {}, After>", type_name(shape.dtype),
                        small->lanes, small->terms, a.type, b.type),
            after.source + own},
           small->grid, a.value, b.value, small->columns, small->rows, static_cast<int>(shape.k),
           small->elements, shape.place, after.argument);
    return;
  }
  const ProductWork work = cut_product(shape);
  const DType sum = sum_dtype(shape.dtype);
  const Scratch scratch(work.parts > 1 ? static_cast<size_t>(work.parts * shape.size) * size_of(sum)
                                       : 0);
  launch(call,
         {files,
          fmt::format("product<{}, Work, {}, {}, After>", type_name(shape.dtype), a.type, b.type),
          after.source + own + work.source()},
         work.grid(shape), a.value, b.value, static_cast<int>(shape.m), static_cast<int>(shape.n),
         static_cast<int>(shape.k), static_cast<int>(work.each), shape.place,
         work.parts > 1 ? scratch.data() : nullptr, static_cast<long long>(shape.size),
         after.argument);
  if (work.parts > 1) finish_product(call, shape, scratch.data(), sum, work.parts, after);
}

/// matmul by our own kernel. a, b: the factors; `after` gets the results, which have the shape
/// `result`.
void multiply(const KernelCall& call, const MatMul& op, const Spec& result,
              const InlineProgram& after);

/// What a library can do with a product before it is written: add a row to each of its rows, then
/// make 0 of what is negative.
struct ProductEnd {
  const void* row = nullptr;
  bool relu = false;
};
/// A program after a product as such an end, if it is no more than that. `operands` are those
/// beside the product.
std::optional<ProductEnd> end_of(const scalar::Program& program, std::span<const View> operands,
                                 const Spec& result);

/// A library that multiplies large matrices faster, if the plugin has one: it computes `op` of the
/// call's first two inputs into its first output, with an end, or returns false.
using LibraryProduct = bool (*)(const MatMul& op, const KernelCall& call, const ProductEnd& end);
void set_library_product(LibraryProduct product);
bool multiply_by_library(const MatMul& op, const KernelCall& call, const ProductEnd& end = {});

}  // namespace alula::cuda
