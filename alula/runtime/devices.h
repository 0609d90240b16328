#pragma once
#include <memory>
#include <string>
#include <vector>

#include "alula/runtime/backend.h"

/// The devices of this process.
namespace alula {

/// The backend of a device, or a NotFoundError that says why there is none.
Backend& backend_of(Device device);

/// The device itself if it can be used. Otherwise the CPU, with one warning that says why; or a
/// NotFoundError where soft placement is off.
Device usable(Device device);

/// A tensor on another device; itself if it is there already. Nobody is told, as by Tensor::to.
Tensor moved(const Tensor& tensor, Device to);

/// Makes a device known. The CPU and the plugins call it while they load.
void add_backend(std::unique_ptr<Backend> backend);
/// Forgets a device; no tensor may be left on it.
void remove_backend(Device device);

/// Limits the device of ops that run while it lives, in this thread: `auto scope =
/// device("/GPU:0");`
class [[nodiscard]] DeviceScope {
 public:
  explicit DeviceScope(Device device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Device outer_;
  bool had_outer_;
};

/// Runs the ops of the current scope on a device, as tf.device does.
///   { auto scope = device("/CPU:0"); c = matmul(a, b); }
inline DeviceScope device(Device device) { return DeviceScope(device); }

namespace config {

/// The devices that can be used, CPU first; of one type if named ("GPU").
std::vector<Device> list_physical_devices();
std::vector<Device> list_physical_devices(DeviceType type);

/// Whether a device that is not there, or lacks an op, is replaced by the CPU (the default) rather
/// than being an error.
void set_soft_device_placement(bool enabled);
bool get_soft_device_placement();

/// The number of threads that compute, this one included; 0 for one a core.
void set_intra_op_parallelism_threads(int count);
int get_intra_op_parallelism_threads();

/// Whether GPUs may round the operands of float32 matrix products and convolutions to 10 bits of
/// mantissa (TensorFloat-32), which is many times faster: yes, unless it is switched off.
void enable_tensor_float_32_execution(bool enabled);
bool tensor_float_32_execution_enabled();

}  // namespace config
}  // namespace alula
