#include "alula/ops/range.h"

#include <cmath>

#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<Range> registered_range;
const RegisterOp<Linspace> registered_linspace;

/// The wider of two dtypes, in TensorFlow's order.
DType wider(DType a, DType b) {
  if (a == b) return a;
  if (is_floating(a) || is_floating(b)) return float32;
  return int64;
}

/// The steps from start to limit of integers of type T (int64_t or uint64_t). Their distance may
/// exceed T, but not uint64_t.
template <class T>
uint64_t count_steps(Number start, Number limit, Number delta, bool up) {
  T from, to;
  start.store(dtype_of<T>, &from);
  limit.store(dtype_of<T>, &to);
  int64_t step;
  delta.store(int64, &step);
  const uint64_t distance = up ? static_cast<uint64_t>(to) - static_cast<uint64_t>(from)
                               : static_cast<uint64_t>(from) - static_cast<uint64_t>(to);
  const uint64_t stride = up ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  return distance / stride + (distance % stride != 0 ? 1 : 0);
}

}  // namespace

Tensor range(Number limit) { return range(0, limit); }
Tensor range(Number start, Number limit, Number delta) {
  return range(start, limit, delta,
               wider(wider(start.natural_dtype(), limit.natural_dtype()), delta.natural_dtype()));
}
Tensor range(Number start, Number limit, Number delta, DType dtype) {
  return call(Range(start, limit, delta, dtype));
}

Tensor linspace(double start, double stop, int64_t num, DType dtype) {
  return call(Linspace(start, stop, num, dtype));
}

int64_t Range::count() const {
  const bool up = delta.as_double() > 0;
  // Integers are counted as integers: a double does not hold all of them.
  const auto count =
      is_integer(dtype)
          ? static_cast<double>(dtype == uint64 ? count_steps<uint64_t>(start, limit, delta, up)
                                                : count_steps<int64_t>(start, limit, delta, up))
          : std::ceil((limit.as_double() - start.as_double()) / delta.as_double());
  require(count < 0x1p53, "{}: there are too many elements to count. Got start {}, limit {}.",
          kName, start.as_double(), limit.as_double());
  return static_cast<int64_t>(count);
}

Specs Range::infer(SpecRefs) const {
  if (!kDTypes.contains(dtype)) fail("{}: makes {}. Got {}.", kName, to_string(kDTypes), dtype);
  const double from = start.as_double(), to = limit.as_double(), step = delta.as_double();
  // A step downwards is fine for unsigned numbers too; it is no element.
  const bool fits =
      start.fits(dtype) && limit.fits(dtype) && delta.fits(is_integer(dtype) ? int64 : dtype);
  require(fits, "{}: the numbers are not of {}. Got start {}, limit {}, delta {}.", kName, dtype,
          from, to, step);
  require(
      step != 0 && std::isfinite(from) && std::isfinite(to) && !std::isnan(step),
      "{}: delta must not be 0, and start and limit must be finite. Got start {}, limit {}, delta "
      "{}.",
      kName, from, to, step);
  require(
      step > 0 ? from <= to : from >= to,
      "{}: limit lies behind start. Got start {}, limit {}, delta {}. Change the sign of delta.",
      kName, from, to, step);
  return {Spec{dtype, {count()}}};
}

Specs Linspace::infer(SpecRefs) const {
  if (!kDTypes.contains(dtype)) fail("{}: makes {}. Got {}.", kName, to_string(kDTypes), dtype);
  require(num > 0, "{}: num must be at least 1. Got {}.", kName, num);
  return {Spec{dtype, {num}}};
}

Tensors Range::batched(std::span<const BatchedInput>, int64_t size) const {
  return batching::made_once(*this, size);
}
Tensors Linspace::batched(std::span<const BatchedInput>, int64_t size) const {
  return batching::made_once(*this, size);
}

Attributes Range::attributes() const {
  return {{"start", start}, {"limit", limit}, {"delta", delta}, {"dtype", dtype}};
}
Attributes Linspace::attributes() const {
  return {{"start", start}, {"stop", stop}, {"num", num}, {"dtype", dtype}};
}

}  // namespace alula
