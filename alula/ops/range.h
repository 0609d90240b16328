#pragma once
#include "alula/runtime/dispatch.h"

/// Sequences of numbers. They are made on the device of the scope.
namespace alula {

/// The numbers from `start` by steps of `delta` up to, but without, `limit`. Unless a dtype is
/// given it is the widest among the arguments': int32, int64 or float32.
///   range(3)          ->  {0, 1, 2}
///   range(3, 18, 3)   ->  {3, 6, 9, 12, 15}
///   range(5, 2, -1)   ->  {5, 4, 3}
Tensor range(Number limit);
Tensor range(Number start, Number limit, Number delta = 1);
Tensor range(Number start, Number limit, Number delta, DType dtype);

/// `num` numbers from `start` to `stop`, both included, evenly spaced. Floating types.
///   linspace(0, 1, 5)  ->  {0, 0.25, 0.5, 0.75, 1}
Tensor linspace(double start, double stop, int64_t num, DType dtype = float32);

/// The op behind `range`.
struct Range final : OpOf<Range> {
  static constexpr const char* kName = "range";
  static constexpr DTypeSet kDTypes = kNumeric;
  static constexpr bool kDifferentiable = false;

  Number start, limit, delta;
  DType dtype;

  Range(Number start, Number limit, Number delta, DType dtype)
      : start(start), limit(limit), delta(delta), dtype(dtype) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;

 private:
  int64_t count() const;
};

/// The op behind `linspace`.
struct Linspace final : OpOf<Linspace> {
  static constexpr const char* kName = "linspace";
  static constexpr DTypeSet kDTypes = kFloating;
  static constexpr bool kDifferentiable = false;

  double start, stop;
  int64_t num;
  DType dtype;

  Linspace(double start, double stop, int64_t num, DType dtype)
      : start(start), stop(stop), num(num), dtype(dtype) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
};

}  // namespace alula
