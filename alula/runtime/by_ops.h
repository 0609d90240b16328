#pragma once
#include <optional>

#include "alula/runtime/op.h"

namespace alula {

/// How else a host op is computed where its inputs are on a device with kernels: by other ops,
/// which have some. It is called in that device's scope, with the inputs there; nothing if host
/// code is the better way.
using ByOps = std::optional<Tensors> (*)(const Op& op, TensorRefs inputs);

/// Null if it has no such way.
ByOps by_ops_of(const OpType& type);
void register_by_ops(const OpType& type, ByOps function);

/// const RegisterByOps<NonZero> registered{[](const Op& op, TensorRefs inputs) { … }};
template <class T>
struct RegisterByOps {
  explicit RegisterByOps(ByOps function) { register_by_ops(T::static_type(), function); }
};

}  // namespace alula
