#include "alula/ops/arg_reduce.h"

#include <limits>

namespace alula {
namespace {

const RegisterOp<ArgMax> max_registered;
const RegisterOp<ArgMin> min_registered;

}  // namespace

Tensor argmax(const Tensor& x, const ArgReduceOptions& options) { return call(ArgMax(options), x); }
Tensor argmin(const Tensor& x, const ArgReduceOptions& options) { return call(ArgMin(options), x); }

Spec infer_arg_reduce(const char* who, DTypeSet dtypes, const ArgReduceOptions& options,
                      const Spec& x) {
  require(dtypes.contains(x.dtype), "{}: takes {}. Got {}.", who, dtypes, x);
  require(options.output_type == int64 || options.output_type == int32,
          "{}: output_type must be int64 or int32. Got {}.", who, options.output_type);
  const int axis = normalize_axis(who, options.axis, x.rank());
  require(x.shape[axis] != 0, "{}: axis {} is empty, so no element is the first. Got {}.", who,
          axis, x);
  require(options.output_type == int64 || x.shape[axis] <= std::numeric_limits<int32_t>::max(),
          "{}: axis {} is too long for int32. Got {}. Use output_type = int64.", who, axis, x);
  return {options.output_type, x.shape.without(axis)};
}

Attributes attributes_of(const ArgReduceOptions& options) {
  return {{"axis", options.axis}, {"output_type", options.output_type}};
}

}  // namespace alula
