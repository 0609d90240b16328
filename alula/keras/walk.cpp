#include "alula/keras/walk.h"

#include <algorithm>

#include "alula/ops/gather.h"
#include "alula/runtime/devices.h"

namespace alula::keras {
namespace {

data::Row moved_to(Device device, const data::Row& row) {
  data::Row there;
  for (const Tensor& tensor : row) there.push_back(moved(tensor, device));
  return there;
}

}  // namespace

Walk::Walk(const data::Dataset& dataset, const Setting<int64_t>& steps, const char* who)
    : dataset_(dataset), limit_(steps.value_or(kUnknown)), seen_(kUnknown), who_(who) {
  require(!steps.given() || steps.value() > 0, "{}: the number of steps must be positive. Got {}.",
          who, steps.value_or(0));
  require(steps.given() || dataset.cardinality() != data::kInfiniteCardinality,
          "{}: the data set never ends. Say how many steps to take.", who);
}

void Walk::begin_epoch() {
  if (!reader_.has_value() || limit_ == kUnknown) begin_reading();
  step_ = 0;
}

void Walk::begin_reading() {
  reader_.emplace(dataset_, who_);
  if (kept_ == nullptr) return;
  variables_ = kept_->maps.variables();
  if (resident_ != nullptr) resident_->variables = moved_to(resident_->device, variables_);
}

bool Walk::next(Batch& batch) {
  if (limit_ != kUnknown && step_ == limit_) return false;
  if (!reader_->next(batch)) {
    if (limit_ == kUnknown || step_ == limit_) return end();
    begin_reading();  // go on from the start
    if (!reader_->next(batch)) return end();
  }
  require(!batch.x.empty(), "{}: an element of the data set has no input.", who_);
  ++step_;
  return true;
}

bool Walk::end() {
  seen_ = step_;
  return false;
}

int64_t Walk::steps() const {
  if (limit_ != kUnknown) return limit_;
  return seen_ != kUnknown ? seen_ : std::max(dataset_.cardinality(), kUnknown);
}

void Walk::keep_for(Device device) {
  std::optional<data::Resident> parts = data::resident(dataset_, device);
  if (!parts.has_value()) return;
  int64_t bytes = 0;
  for (const Tensor& column : parts->columns) bytes += column.bytes();
  const MemoryInfo memory = backend_of(device).memory();
  if (bytes > (memory.total - memory.in_use) / 2) {
    parts->source->set_place(
        fmt::format("on the host: more than half of what {} has free", device));
    return;
  }
  given_ = std::exchange(dataset_, parts->positions);
  kept_ = std::make_unique<data::Resident>(std::move(*parts));
}

const ResidentData& Walk::data_on(Device device) {
  if (resident_ == nullptr || resident_->device != device) {
    resident_ = std::make_unique<ResidentData>(moved_to(device, kept_->columns),
                                               moved_to(device, variables_), kept_->maps,
                                               Parts(given_->element_spec(), who_), device);
    kept_->source->set_place(fmt::format("on {}", device));
    for (const data::StageRef& step : kept_->mapped)
      step->set_place(fmt::format("in the step on {}", device));
  }
  return *resident_;
}

Batch Walk::batch_at(const data::Picks& picks) const {
  data::Row row;
  for (const Tensor& column : kept_->columns) row.push_back(gather(column, picks[0]));
  kept_->maps.apply(row, picks, variables_);
  Batch batch;
  Parts(given_->element_spec(), who_).give_out(row, batch);
  return batch;
}

void Walk::put_ahead_on(Device device) {
  const bool goes_on = reader_.has_value() && limit_ != kUnknown;
  if (kept_ != nullptr || goes_on || device.is_cpu() || ahead_on_ == device) return;
  if (ahead_on_.is_cpu()) given_ = dataset_;
  ahead_on_ = device;
  dataset_ = given_->in_place_of(given_->prefetch_to_device(device).stage());
}

void Walk::stop_keeping() {
  dataset_ = *given_;
  kept_ = nullptr;
  resident_ = nullptr;
  reader_.reset();
}

}  // namespace alula::keras
