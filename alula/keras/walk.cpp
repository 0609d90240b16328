#include "alula/keras/walk.h"

#include <algorithm>

#include "alula/data/resident.h"
#include "alula/ops/gather.h"
#include "alula/runtime/devices.h"

namespace alula::keras {
namespace {

template <class F>
Batch each_of(const Batch& batch, const F& f) {
  const auto all = [&](const std::vector<Tensor>& from) {
    std::vector<Tensor> to;
    for (const Tensor& tensor : from) to.push_back(f(tensor));
    return to;
  };
  return {all(batch.x), all(batch.y), all(batch.sample_weight)};
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
  if (!reader_.has_value() || limit_ == kUnknown) reader_.emplace(dataset_, who_);
  step_ = 0;
}

bool Walk::next(Batch& batch) {
  if (limit_ != kUnknown && step_ == limit_) return false;
  if (!reader_->next(batch)) {
    if (limit_ == kUnknown || step_ == limit_) return end();
    reader_.emplace(dataset_, who_);  // go on from the start
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
  const std::optional<data::Resident> parts = data::resident(dataset_);
  if (!parts.has_value() || parts->positions.element_spec().specs[0].rank() != 1) return;
  int64_t bytes = 0;
  for (const Tensor& column : parts->columns) bytes += column.bytes();
  const MemoryInfo memory = backend_of(device).memory();
  if (bytes > (memory.total - memory.in_use) / 2) return;
  data::Row columns = parts->columns;
  kept_ = std::make_unique<Batch>();
  Parts(dataset_.element_spec(), who_).give_out(columns, *kept_);
  given_ = std::exchange(dataset_, parts->positions);
}

const ResidentData& Walk::data_on(Device device) {
  if (resident_ == nullptr || resident_->device != device)
    resident_ = std::make_unique<ResidentData>(
        each_of(*kept_, [&](const Tensor& column) { return moved(column, device); }), device);
  return *resident_;
}

Batch Walk::batch_at(const Tensor& positions) const {
  return each_of(*kept_, [&](const Tensor& column) { return gather(column, positions); });
}

void Walk::stop_keeping() {
  dataset_ = *given_;
  kept_ = nullptr;
  resident_ = nullptr;
  reader_.emplace(dataset_, who_);
  step_ = 0;
}

}  // namespace alula::keras
