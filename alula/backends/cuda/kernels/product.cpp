#include "alula/backends/cuda/kernels/product.h"

#include <algorithm>

#include "alula/backends/cuda/kernels.h"
#include "alula/ops/matmul_elementwise.h"

namespace alula::cuda {
namespace {

constexpr int64_t kMostParts = 256;

LibraryProduct g_library = nullptr;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

ProductMatrix matrix(const View& view, bool along_k, int64_t lines, int64_t k) {
  return {view.data, static_cast<int>(lines), static_cast<int>(along_k ? k : lines), {}};
}

}  // namespace

int64_t ProductWork::tiles(const ProductShape& shape) const {
  return ceil_div(shape.m, m) * ceil_div(shape.n, n) * shape.batch;
}

std::string ProductWork::source() const {
  const std::pair<std::string_view, int64_t> values[] = {
      {"kM", m}, {"kN", n}, {"kK", k}, {"kEachM", each_m}, {"kEachN", each_n}};
  return constants("Work", values);
}

Grid ProductWork::grid(const ProductShape& shape) const {
  const auto threads = static_cast<unsigned>(m / each_m * (n / each_n));
  const size_t room = static_cast<size_t>(2 * k * (m + n + 8)) * size_of(sum_dtype(shape.dtype));
  return {.blocks = {static_cast<unsigned>(tiles(shape)), static_cast<unsigned>(parts), 1},
          .threads = {threads, 1, 1},
          .chains = room <= kChainRoom && tiles(shape) * parts <= current_card().multiprocessors()};
}

/// The largest tiles that leave no multiprocessor without work; where even small ones do, k is cut
/// into parts, too.
ProductWork cut_product(const ProductShape& shape) {
  const int64_t processors = current_card().multiprocessors();
  const ProductWork large(128, 128, 16, 8, 8), middle(64, 64, 16, 4, 4), tall(128, 32, 16, 4, 4),
      wide(32, 128, 16, 4, 4), small(32, 32, 32, 2, 2), flat(16, 32, 64, 2, 2);
  const bool fits = size_of(sum_dtype(shape.dtype)) <= 4;  // shared memory
  // Few rows, as of a small batch: what counts is how often a block waits for memory.
  ProductWork work = fits && shape.m <= 16 ? flat : small;
  const int64_t enough = processors / 2;
  if (fits && shape.m > 64 && shape.n > 64 && large.tiles(shape) >= processors)
    work = large;
  else if (shape.m > 32 && shape.n > 32 && middle.tiles(shape) >= enough)
    work = middle;
  else if (shape.n <= 32 && shape.m > 64 && (tall.tiles(shape) >= enough || shape.k > 2048))
    work = tall;
  else if (shape.m <= 32 && shape.n > 64 && (wide.tiles(shape) >= enough || shape.k > 2048))
    work = wide;
  else if (shape.m > 32 && shape.n > 32 && shape.k > 2048)
    work = middle;
  const int64_t steps = std::max<int64_t>(1, ceil_div(shape.k, work.k));
  // A part must be worth the second kernel that adds them up.
  constexpr int64_t kLeast = 128;
  const int64_t most = std::clamp<int64_t>(shape.k / kLeast, 1, kMostParts);
  const int64_t wanted = std::clamp<int64_t>(processors / work.tiles(shape), 1, most);
  work.each = ceil_div(steps, std::min(steps, wanted)) * work.k;
  work.parts = std::max<int64_t>(1, ceil_div(shape.k, work.each));
  return work;
}

std::optional<SmallProduct> small_product(const ProductShape& shape) {
  constexpr int64_t kFewTerms = int64_t{1} << 19;  // of all elements together
  constexpr int kMostTerms = 8;                    // that a thread loads at once
  constexpr int kMostRounds = 4;                   // of loads, each of which waits for memory
  const int64_t elements = shape.m * shape.n * shape.batch;
  if (elements * shape.k > kFewTerms || shape.k == 0) return {};
  int lanes = 1;
  while (lanes < 32 && lanes * kMostTerms < shape.k) lanes *= 2;
  if (lanes * kMostTerms * kMostRounds < shape.k) lanes = kBlockThreads;
  if (lanes * kMostTerms * kMostRounds < shape.k) return {};
  return SmallProduct{
      .lanes = lanes,
      .terms = shape.k <= lanes * kMostTerms / 2 ? kMostTerms / 2 : kMostTerms,
      .columns = Divider(static_cast<uint32_t>(shape.n)),
      .rows = Divider(static_cast<uint32_t>(shape.m)),
      .elements = static_cast<unsigned>(elements),
      .grid = {.blocks = {static_cast<unsigned>(ceil_div(elements * lanes, kBlockThreads)), 1, 1},
               .threads = {kBlockThreads, 1, 1}}};
}

void finish_product(const KernelCall& call, const ProductShape& shape, const void* parts,
                    DType parts_dtype, int64_t count, const InlineProgram& after) {
  constexpr int64_t kManyParts = 8;
  Grid grid = grid_for(shape.size);
  if (count > kManyParts) {
    const int64_t rows = std::min<int64_t>(16, ceil_div(count, kManyParts));
    grid.threads = {32, static_cast<unsigned>(rows), 1};
    grid.blocks[0] = static_cast<unsigned>(ceil_div(shape.size, 32));
  } else if (shape.size < 64 * 1024) {  // smaller blocks reach more multiprocessors
    grid.threads[0] = 64;
    grid.blocks[0] = static_cast<unsigned>(ceil_div(shape.size, 64));
  }
  launch(
      call,
      {"arithmetic product",
       fmt::format("{}<{}, {}, After>", count > kManyParts ? "finish_many_parts" : "finish_product",
                   type_name(shape.dtype), type_name(parts_dtype)),
       after.source},
      grid, parts, static_cast<int>(count), static_cast<long long>(shape.size),
      static_cast<unsigned>(shape.columns), after.argument);
}

void multiply(const KernelCall& call, const MatMul& op, const Spec& result,
              const InlineProgram& after) {
  const View &a = call.inputs[0], &b = call.inputs[1];
  const int ra = a.shape().rank(), rb = b.shape().rank(), rc = result.rank();
  ProductShape shape{.dtype = a.dtype(),
                     .m = result.shape[rc - 2],
                     .n = result.shape[rc - 1],
                     .k = a.shape()[op.transpose_a ? ra - 2 : ra - 1],
                     .place = {},
                     .size = result.shape.size(),
                     .columns = result.shape[rc - 1]};
  if (shape.size == 0) return;
  const Shape batch_a = a.shape().slice(0, ra - 2), batch_b = b.shape().slice(0, rb - 2);
  const Shape* batches[] = {&batch_a, &batch_b};
  const Merged merged = merge_dimensions(result.shape.slice(0, rc - 2), batches);
  ProductMatrix factor_a = matrix(a, !op.transpose_a, shape.m, shape.k);
  ProductMatrix factor_b = matrix(b, op.transpose_b, shape.n, shape.k);
  require<UnimplementedError>(merged.dims.size() <= kMaxBatchRank && shape.m < int64_t{1} << 31 &&
                                  shape.n < int64_t{1} << 31 && shape.k < int64_t{1} << 31,
                              "{}: too large for a GPU. Got {}, {}.", op.kName, *a.spec, *b.spec);
  for (size_t axis = 0; axis < merged.dims.size(); ++axis) {
    shape.batch *= merged.dims[axis];
    const auto put = [&](ProductBatch& batch, int64_t step) {
      batch.dims[axis] = static_cast<int>(merged.dims[axis]);
      batch.steps[axis] = step;
    };
    put(factor_a.batch, merged.strides[0][axis] * shape.m * shape.k);
    put(factor_b.batch, merged.strides[1][axis] * shape.k * shape.n);
  }
  size_t rank = merged.dims.size();
  // Many matrices by one matrix is one tall matrix by it.
  if (merged.dims.size() == 1 && merged.strides[0][0] == 1 && merged.strides[1][0] == 0 &&
      !op.transpose_a && shape.m * shape.batch < int64_t{1} << 31) {
    shape.m *= std::exchange(shape.batch, 1);
    factor_a.lines = static_cast<int>(shape.m);
    rank = 0;
  }
  shape.place = {.batch_step = shape.m * shape.n, .row_step = shape.n, .column_step = 0};
  const auto type = [&](bool along_k) {
    return fmt::format("Matrix<{}, {}, {}>", type_name(a.dtype()), along_k, rank);
  };
  run_product<ProductMatrix, ProductMatrix>(call, shape, "arithmetic product", "",
                                            {type(!op.transpose_a), factor_a},
                                            {type(op.transpose_b), factor_b}, after);
}

void set_library_product(LibraryProduct product) { g_library = product; }

bool multiply_by_library(const MatMul& op, const KernelCall& call, const ProductEnd& end) {
  return g_library != nullptr && g_library(op, call, end);
}

std::optional<ProductEnd> end_of(const scalar::Program& program, std::span<const View> operands,
                                 const Spec& result) {
  enum class Value : uint8_t { kOther, kProduct, kRow, kSum, kRelu, kZero };
  using enum Value;
  if (program.results().size() != 1 || operands.size() > 1 || !is_floating(result.dtype) ||
      program.output() != result.dtype)
    return {};
  const bool is_row = operands.size() == 1 && operands[0].dtype() == result.dtype &&
                      operands[0].size() == result.shape.back() &&
                      operands[0].shape().back() == result.shape.back();
  std::vector<Value> values;  // of the instructions
  for (const scalar::Instruction& step : program.code()) {
    const auto has = [&](size_t i, Value value) { return values[step.operands[i]] == value; };
    const auto are = [&](Value a, Value b) {
      return (has(0, a) && has(1, b)) || (has(0, b) && has(1, a));
    };
    Value value = kOther;
    if (step.opcode == scalar::Opcode::kInput)
      value = step.index == 0 ? kProduct : is_row ? kRow : kOther;
    else if (step.opcode == scalar::Opcode::kConstant && is_floating(step.dtype) &&
             step.number == 0)
      value = kZero;
    else if (step.opcode == scalar::Opcode::kCast && is_floating(step.dtype))
      value = values[step.operands[0]];  // sums are made in float32, whatever the dtype
    else if (step.opcode == scalar::Opcode::kAdd && are(kProduct, kRow))
      value = kSum;
    else if (step.opcode == scalar::Opcode::kMax && (are(kSum, kZero) || are(kProduct, kZero)))
      value = kRelu;
    if (value == kOther) return {};
    values.push_back(value);
  }
  const Value last = values[program.results()[0]];
  if (last != kSum && last != kRelu) return {};
  return ProductEnd{.row = is_row ? operands[0].data : nullptr, .relu = last == kRelu};
}

namespace {

void run(const MatMulElementwise& op, const KernelCall& call) {
  const View& output = call.outputs[0];
  if (output.size() == 0) return;
  const InlineProgram after =
      program_after(op.program, output.dtype(), call.inputs.subspan(2), call.outputs);
  if (const auto end = end_of(*op.program, call.inputs.subspan(2), *output.spec);
      end && multiply_by_library(op.product, call, *end))
    return;
  if (multiply_by_library(op.product, call)) {
    const ProductShape shape{.dtype = output.dtype(),
                             .m = 1,
                             .n = 1,
                             .k = 1,
                             .place = {},
                             .size = output.size(),
                             .columns = output.shape().back()};
    return finish_product(call, shape, output.data, output.dtype(), 1, after);
  }
  multiply(call, op.product, *output.spec, after);
}

const RegisterGpuKernel<MatMulElementwise> registered{&run, kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
