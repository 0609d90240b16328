#include "python/src/convert.h"
#include "python/src/module.h"

// Devices, and how they are used.
namespace alula::python {
namespace {

/// No device asked for, whatever the scopes around it say: `with tf.device(None)`.
class AnyDevice {
 public:
  AnyDevice() : outer_(t_state.flags & ThreadState::kDeviceScope) {
    t_state.flags &= ~static_cast<uint32_t>(ThreadState::kDeviceScope);
  }
  ~AnyDevice() { t_state.flags |= outer_; }
  AnyDevice(const AnyDevice&) = delete;
  AnyDevice& operator=(const AnyDevice&) = delete;

 private:
  uint32_t outer_;
};

/// What tf.device returns. The same object may be entered several times.
class DeviceContext {
 public:
  explicit DeviceContext(std::optional<Device> device) : device_(device) {}
  DeviceContext(DeviceContext&&) = default;
  void enter() {
    if (device_)
      open_.push_back({std::make_unique<DeviceScope>(*device_), nullptr});
    else
      open_.push_back({nullptr, std::make_unique<AnyDevice>()});
  }
  void leave() {
    if (!open_.empty()) open_.pop_back();
  }

 private:
  struct Open {
    std::unique_ptr<DeviceScope> device;
    std::unique_ptr<AnyDevice> any;
  };
  std::optional<Device> device_;
  std::vector<Open> open_;
};

/// A device from a name, or from an object that has one (tf.config.LogicalDevice).
std::optional<Device> to_device(nb::handle value) {
  if (value.is_none()) return std::nullopt;
  const nb::object name =
      nb::isinstance<nb::str>(value) ? nb::borrow(value) : nb::getattr(value, "name", nb::none());
  if (!nb::isinstance<nb::str>(name))
    throw nb::type_error(
        fmt::format("device: expected a name like \"/GPU:0\". Got {}.", nb::repr(value).c_str())
            .c_str());
  const auto text = nb::cast<std::string>(name);
  if (text.empty()) return std::nullopt;
  return Device(text);
}

Device named(const std::string& name) { return Device(name); }

std::string type_of(Device device) {
  const std::string name = to_string(device);
  return name.substr(1, name.find(':') - 1);
}

nb::list devices() {
  nb::list list;
  for (const Device device : config::list_physical_devices())
    list.append(nb::make_tuple(to_string(device).substr(1), type_of(device)));
  return list;
}

}  // namespace

void bind_config(nb::module_& m) {
  nb::class_<DeviceContext>(m, "_DeviceContext")
      .def("__enter__", &DeviceContext::enter)
      .def("__exit__", [](DeviceContext& self, const nb::args&) { self.leave(); });
  m.def(
      "device", [](nb::handle device_name) { return DeviceContext(to_device(device_name)); },
      "device_name"_a.none(),
      "Ops within its `with` statement run on a device. One that is not there is replaced by the "
      "CPU, which is said once.\n\n>>> with tf.device(\"/CPU:0\"):\n"
      "...     x = tf.constant([1.0]) + 2.0\n>>> x.device\n"
      "'/job:localhost/replica:0/task:0/device:CPU:0'");

  nb::module_ config = m.def_submodule("_config", "Devices.");
  config.def("devices", &devices, "Pairs of name (\"CPU:0\") and type (\"CPU\").");
  config.def("set_soft_device_placement", &config::set_soft_device_placement, "enabled"_a,
             "Whether a device that is not there, or lacks an op, is replaced by the CPU.");
  config.def("get_soft_device_placement", &config::get_soft_device_placement,
             "Whether a device that is not there, or lacks an op, is replaced by the CPU.");
  config.def("set_intra_op_parallelism_threads", &config::set_intra_op_parallelism_threads,
             "num_threads"_a, "The number of threads that compute; 0 for one a core.");
  config.def("get_intra_op_parallelism_threads", &config::get_intra_op_parallelism_threads,
             "The number of threads that compute.");
  config.def("enable_tensor_float_32_execution", &config::enable_tensor_float_32_execution,
             "enabled"_a, "Whether GPUs may use TensorFloat-32 for float32 matrix products.");
  config.def("tensor_float_32_execution_enabled", &config::tensor_float_32_execution_enabled,
             "Whether GPUs may use TensorFloat-32 for float32 matrix products.");
  config.def(
      "set_memory_limit",
      [](const std::string& device, int64_t limit) {
        config::set_logical_device_configuration(named(device), {{.memory_limit = limit}});
      },
      "device"_a, "limit"_a, "Limits the memory that tensors take of a device, in MiB.");
  config.def(
      "get_memory_limit",
      [](const std::string& device) {
        const auto logical = config::get_logical_device_configuration(named(device));
        return logical.empty() ? int64_t{0} : logical[0].memory_limit;
      },
      "device"_a, "The limit that was set, in MiB; 0 if none was.");
  config.def(
      "get_memory_info",
      [](const std::string& device) {
        const config::MemoryUse use = config::get_memory_info(named(device));
        return std::pair(use.current, use.peak);
      },
      "device"_a, "Bytes that tensors have on a device, and the most that they had.");
  config.def(
      "reset_memory_stats",
      [](const std::string& device) { config::reset_memory_stats(named(device)); }, "device"_a,
      "Counts the peak anew.");
  config.def(
      "empty_cache", [](const std::string& device) { config::empty_cache(named(device)); },
      "device"_a, "Gives memory that is kept for later tensors back to the system.");
  config.def(
      "set_visible_devices",
      [](const std::vector<std::string>& devices, const std::string& type) {
        std::vector<Device> visible;
        for (const std::string& device : devices) visible.push_back(named(device));
        config::set_visible_devices(visible, named(type).type);
      },
      "devices"_a, "type"_a, "Hides all other devices of a type.");
  config.def("set_synchronous_execution", &config::set_synchronous_execution, "enable"_a,
             "Whether each op of a GPU is waited for, so that a fault is reported with its name.");
  config.def("get_synchronous_execution", &config::get_synchronous_execution,
             "Whether each op of a GPU is waited for.");
  config.def("_set_log_level", [](const std::string& level) {
    logging::set_level(level == "silent"    ? logging::Level::kSilent
                       : level == "warning" ? logging::Level::kWarning
                                            : logging::Level::kInfo);
  });
  config.attr("version") = version();
}

}  // namespace alula::python
