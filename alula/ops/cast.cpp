#include "alula/ops/cast.h"

#include "alula/ops/elementwise.h"

namespace alula {
namespace {

using scalar::Program;

/// The programs, by the dtypes that they cast from and to. Each is made when it is first needed and
/// then kept, so that a call only reads a pointer.
constinit std::array<std::array<std::atomic<const Program*>, kDTypeCount>, kDTypeCount>
    g_programs{};

const Program& make_program(DType from, DType to, std::atomic<const Program*>& slot) {
  scalar::Builder builder;
  const Scalar result = scalar::cast(builder.input(from), to);
  std::unique_ptr<Program> made = builder.finish("cast", {&result, 1});
  const Program* expected = nullptr;
  if (slot.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel))
    return *made.release();
  return *expected;  // another thread was faster
}

const Program& program_of(DType from, DType to) {
  std::atomic<const Program*>& slot = g_programs[static_cast<int>(from)][static_cast<int>(to)];
  const Program* program = slot.load(std::memory_order_acquire);
  return program != nullptr ? *program : make_program(from, to, slot);
}

}  // namespace

Tensor cast(const Tensor& x, DType dtype) {
  require(x.defined(), "cast: the input is not defined yet.");
  if (x.dtype() == dtype) return x;
  require(x.dtype() != string && dtype != string,
          "cast: takes numbers and bools. Got {}, to become {}.", x.spec(), dtype);
  return call(ElementwiseOp(program_of(x.dtype(), dtype)), x);
}

}  // namespace alula
