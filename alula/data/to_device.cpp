#include "alula/data/to_device.h"

#include "alula/data/dataset.h"
#include "alula/data/one_input.h"
#include "alula/runtime/devices.h"

namespace alula::data {
namespace {

/// Strings stay on the host, as there are none elsewhere.
void move_to(Device device, Row& row) {
  for (Tensor& tensor : row)
    if (tensor.dtype() != string && tensor.device() != device) tensor = moved(tensor, device);
}

class CopyWalk final : public InputWalk {
 public:
  CopyWalk(const Stage& stage, Device device, const Context& context)
      : InputWalk(stage, stage.input().walk(context.with_block(1))), device_(device) {}

  bool next(Row& row) override {
    if (!input_->next(row)) return false;
    move_to(device_, row);
    return true;
  }
  int64_t skip(int64_t count) override { return input_->skip(count); }

 private:
  Device device_;
};

class ToDevice final : public SameSpecStage {
 public:
  ToDevice(const char* name, const StageRef& input, Device device, int64_t buffer)
      : SameSpecStage(name, input), device_(device), buffer_(buffer) {}
  int64_t cardinality() const override { return input().cardinality(); }
  WalkRef walk(const Context& context) const override {
    if (buffer_ == 0) return std::make_unique<CopyWalk>(*this, device_, context);
    const Tuner::Plan plan{.workers = 1, .most_workers = 1, .buffer = buffer_};
    return std::make_unique<ReadAheadWalk>(*this, plan, context, notes_, bringing_to(device_));
  }
  std::string parameters() const override {
    return buffer_ == 0 ? fmt::format("({})", device_) : fmt::format("({}, {})", device_, buffer_);
  }
  /// Positions are read where they are.
  StageRef onto(const StageRef& input) const override {
    return std::make_shared<ToDevice>(name().c_str(), input, kCPU, 0);
  }

 private:
  Device device_;
  int64_t buffer_;  // 0: each element when it is asked for
  mutable Notes notes_;
};

}  // namespace

ReadAheadWalk::Work bringing_to(Device device) {
  if (device.is_cpu()) return nullptr;
  return [device](Row& row) { move_to(device, row); };
}

Dataset Dataset::copy_to_device(const Device& device) const {
  return then(std::make_shared<ToDevice>("copy_to_device", stage_, usable(device), 0));
}

Dataset Dataset::prefetch_to_device(const Device& device, int64_t buffer_size) const {
  // One that is being read, and one on its way.
  constexpr int64_t kEnough = 2;
  require(buffer_size == AUTOTUNE || buffer_size > 0,
          "prefetch_to_device: the size of the buffer must be positive, or AUTOTUNE. Got {}.",
          buffer_size);
  return then(std::make_shared<ToDevice>("prefetch_to_device", stage_, usable(device),
                                         buffer_size == AUTOTUNE ? kEnough : buffer_size));
}

}  // namespace alula::data
