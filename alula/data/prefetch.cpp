#include "alula/data/dataset.h"
#include "alula/data/read_ahead.h"
#include "alula/data/to_device.h"

namespace alula::data {
namespace {

class Prefetched final : public SameSpecStage {
 public:
  Prefetched(const StageRef& input, int64_t buffer)
      : SameSpecStage("prefetch", input), buffer_(buffer) {}
  int64_t cardinality() const override { return input().cardinality(); }
  WalkRef walk(const Context& context) const override {
    const Tuner::Plan plan{
        .workers = buffer_ == AUTOTUNE ? AUTOTUNE : 1, .most_workers = 1, .buffer = buffer_};
    return std::make_unique<ReadAheadWalk>(*this, plan, context, *notes_, bringing_to(device_));
  }
  std::string details(int64_t) const override {
    const std::string notes = notes_->get();
    return fmt::format("({}){}{}", buffer_ == AUTOTUNE ? "AUTOTUNE" : std::to_string(buffer_),
                       notes.empty() ? "" : ": ", notes);
  }

  StageRef onto(const StageRef& input) const override {
    return std::make_shared<Prefetched>(input, buffer_);
  }
  StageRef for_reader_on(const Device& device) const override {
    auto there = std::make_shared<Prefetched>(*this);
    there->device_ = device;
    return there;
  }

 private:
  int64_t buffer_;
  Device device_ = kCPU;                                      // where elements are put
  std::shared_ptr<Notes> notes_ = std::make_shared<Notes>();  // shared with copies
};

}  // namespace

Dataset Dataset::prefetch(int64_t buffer_size) const {
  require(buffer_size >= AUTOTUNE,
          "prefetch: the size of the buffer must be positive, or AUTOTUNE. Got {}.", buffer_size);
  if (buffer_size == 0) return *this;
  return then(std::make_shared<Prefetched>(stage_, buffer_size));
}

}  // namespace alula::data
