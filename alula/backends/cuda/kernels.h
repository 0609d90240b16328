#pragma once
#include "alula/runtime/op.h"

namespace alula::cuda {

/// Whether a kernel is for inputs like these, apart from their dtypes; the CPU has the others.
using Fits = bool (*)(SpecRefs inputs);

namespace internal {
void add_kernel(const OpType& type, DTypeSet dtypes, Fits fits);
}

/// Makes `run` the kernel of an op on GPUs, for inputs of these dtypes: one static object in the
/// kernel's source file. The call's queue is a cudaStream_t of the thread's current card.
template <class Derived>
struct RegisterGpuKernel : RegisterKernel<DeviceType::kGPU, Derived> {
  RegisterGpuKernel(typename RegisterKernel<DeviceType::kGPU, Derived>::Typed run, DTypeSet dtypes,
                    Fits fits = nullptr)
      : RegisterKernel<DeviceType::kGPU, Derived>(run) {
    internal::add_kernel(Derived::static_type(), dtypes, fits);
  }
};

/// Whether the kernel of an op takes these inputs.
bool takes(const OpType& type, SpecRefs inputs);

}  // namespace alula::cuda
