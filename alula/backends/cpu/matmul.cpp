#include <algorithm>
#include <type_traits>

#include "alula/backends/cpu/routines.h"
#include "alula/backends/cpu/row_program.h"
#include "alula/ops/matmul_elementwise.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

/// The sizes of one product, and of the batches around it.
struct Sizes {
  int64_t m, n, k;
  Shape batch_a, batch_b, batch;

  Sizes(const MatMul& op, const KernelCall& call) {
    const Shape &a = call.inputs[0].shape(), &b = call.inputs[1].shape();
    const Shape& c = call.outputs[0].shape();
    m = c[c.rank() - 2];
    n = c[c.rank() - 1];
    k = a[a.rank() - (op.transpose_a ? 2 : 1)];
    batch_a = a.slice(0, a.rank() - 2);
    batch_b = b.slice(0, b.rank() - 2);
    batch = c.slice(0, c.rank() - 2);
  }
};

/// Which matrix of an operand takes part in product `index` of the batch.
int64_t matrix_of(const Shape& operand, const Shape& batch, int64_t index) {
  int64_t found = 0, step = 1;
  for (int i = batch.rank() - 1; i >= 0; --i) {
    const int axis = i - (batch.rank() - operand.rank());
    if (axis >= 0) {
      if (operand[axis] != 1) found += index % batch[i] * step;
      step *= operand[axis];
    }
    index /= batch[i];
  }
  return found;
}

/// An elementwise function of parts of a product, written over it.
class Function final : public Epilogue {
 public:
  Function(const scalar::Program& program, const KernelCall& call)
      : program_(program, call.inputs.subspan(2), call.outputs) {}

  void finish(const Part& part) const override {
    if (part.columns == program_.columns()) return run(part);
    for (int64_t i = 0; i < part.rows; ++i) run({part.row + i, 1, part.column, part.columns});
  }

 private:
  void run(const Part& part) const { program_.run(part, program_.output(part)); }

  RowProgram program_;
};

template <class T>
void multiply(const MatMul& op, const Sizes& sizes, const T* a, const T* b, T* c,
              const Epilogue* epilogue = nullptr) {
  const int64_t m = sizes.m, n = sizes.n, k = sizes.k;
  const Shape &batch_a = sizes.batch_a, &batch_b = sizes.batch_b, &batch = sizes.batch;
  const auto product = [&](int64_t rows, const T* x, const T* y, T* z,
                           const Epilogue* then = nullptr) {
    const Matrix<T> first = op.transpose_a ? Matrix<T>{x, 1, rows} : Matrix<T>{x, k, 1};
    const Matrix<T> second = op.transpose_b ? Matrix<T>{y, 1, k} : Matrix<T>{y, n, 1};
    gemm<T>(rows, n, k, first, second, z, n, then);
  };
  // One matrix b for all: the batch of a is just more rows.
  if (batch_b.size() == 1 && !op.transpose_a && batch_a.size() == batch.size())
    return product(batch.size() * m, a, b, c, epilogue);
  const double nanoseconds =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * sizeof(T) / 120;
  const auto range = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      product(m, a + matrix_of(batch_a, batch, i) * m * k, b + matrix_of(batch_b, batch, i) * k * n,
              c + i * m * n);
  };
  // Many products are shared out whole; few large ones share out each.
  if (batch.size() >= 2 * team::size())
    team::parallel_for(batch.size(), nanoseconds, range);
  else
    range(0, batch.size());
  if (epilogue != nullptr) epilogue->finish({0, batch.size() * m, 0, n});
}

/// A copy of an operand as float32; the result is rounded once, at the end.
class AsFloat {
 public:
  explicit AsFloat(const View& view) : AsFloat(view.size()) {
    const void* operands[] = {view.data};
    convert(float32, view.dtype(), operands, data());
  }
  explicit AsFloat(int64_t count)
      : count_(count), block_(memory::allocate(static_cast<size_t>(count) * sizeof(float))) {}
  ~AsFloat() { memory::release(block_, static_cast<size_t>(count_) * sizeof(float)); }
  AsFloat(const AsFloat&) = delete;
  AsFloat& operator=(const AsFloat&) = delete;

  float* data() const { return static_cast<float*>(block_); }
  void store(const View& view) const {
    const void* operands[] = {data()};
    convert(view.dtype(), float32, operands, view.data);
  }

 private:
  void convert(DType to, DType from, const void* const* operands, void* out) const {
    find_routine(scalar::Opcode::kCast, from, to)(out, operands, 0, count_, nullptr);
  }

  int64_t count_;
  void* block_;
};

void run(const MatMul& op, const KernelCall& call) {
  const Sizes sizes(op, call);
  const View &a = call.inputs[0], &b = call.inputs[1], &c = call.outputs[0];
  if (c.size() == 0) return;
  if (sizes.k == 0) {
    std::fill_n(c.as<std::byte>(), c.bytes(), std::byte{0});
    return;
  }
  if (is_half(c.dtype())) {
    const AsFloat x(a), y(b), z(c.size());
    multiply<float>(op, sizes, x.data(), y.data(), z.data());
    return z.store(c);
  }
  if (c.dtype() == float32)
    return multiply<float>(op, sizes, a.as<float>(), b.as<float>(), c.as<float>());
  if (c.dtype() == float64)
    return multiply<double>(op, sizes, a.as<double>(), b.as<double>(), c.as<double>());
  switch (size_of(c.dtype())) {
    case 1: return multiply(op, sizes, a.as<uint8_t>(), b.as<uint8_t>(), c.as<uint8_t>());
    case 2: return multiply(op, sizes, a.as<uint16_t>(), b.as<uint16_t>(), c.as<uint16_t>());
    case 4: return multiply(op, sizes, a.as<uint32_t>(), b.as<uint32_t>(), c.as<uint32_t>());
    default: return multiply(op, sizes, a.as<uint64_t>(), b.as<uint64_t>(), c.as<uint64_t>());
  }
}

void run_fused(const MatMulElementwise& op, const KernelCall& call) {
  const View &a = call.inputs[0], &b = call.inputs[1], &c = call.outputs[0];
  const Sizes sizes(op.product, call);
  if (c.size() == 0) return;
  const Function function(*op.program, call);
  if (sizes.k > 0 && c.dtype() == float32)
    return multiply(op.product, sizes, a.as<float>(), b.as<float>(), c.as<float>(), &function);
  if (sizes.k > 0 && c.dtype() == float64)
    return multiply(op.product, sizes, a.as<double>(), b.as<double>(), c.as<double>(), &function);
  run(op.product, {.inputs = call.inputs.first(2), .outputs = call.outputs.first(1)});
  function.finish({0, c.size() / sizes.n, 0, sizes.n});
}

const RegisterKernel<DeviceType::kCPU, MatMul> registered{&run};
const RegisterKernel<DeviceType::kCPU, MatMulElementwise> registered_fused{&run_fused};

}  // namespace
}  // namespace alula::cpu
