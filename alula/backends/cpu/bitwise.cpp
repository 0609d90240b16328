#include "alula/ops/bitwise.h"

#include <algorithm>

#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

template <class T, class F>
void for_each(const KernelCall& call, const F& f) {
  const T *x = call.inputs[0].as<T>(), *y = call.inputs[1].as<T>();
  T* out = call.outputs[0].as<T>();
  team::parallel_for(call.outputs[0].size(), 0.3, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = f(x[i], y[i]);
  });
}

/// How far to move: by what C++ defines.
template <class T>
int distance(T y) {
  return static_cast<int>(std::clamp<T>(y, 0, static_cast<T>(sizeof(T) * 8 - 1)));
}

template <class T>
void run(const Bitwise& op, const KernelCall& call) {
  using bitwise::Kind;
  using Bits = std::make_unsigned_t<T>;
  switch (op.kind) {
    case Kind::kAnd: return for_each<T>(call, [](T x, T y) { return static_cast<T>(x & y); });
    case Kind::kOr: return for_each<T>(call, [](T x, T y) { return static_cast<T>(x | y); });
    case Kind::kXor: return for_each<T>(call, [](T x, T y) { return static_cast<T>(x ^ y); });
    case Kind::kLeftShift:
      return for_each<T>(
          call, [](T x, T y) { return static_cast<T>(static_cast<Bits>(x) << distance(y)); });
    case Kind::kRightShift:
      return for_each<T>(call, [](T x, T y) { return static_cast<T>(x >> distance(y)); });
  }
}

const RegisterKernel<DeviceType::kCPU, Bitwise> registered{
    [](const Bitwise& op, const KernelCall& call) {
      with_type(call.inputs[0].dtype(), [&]<class T>(Type<T>) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) run<T>(op, call);
      });
    }};

}  // namespace
}  // namespace alula::cpu
