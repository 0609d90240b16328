#include "alula/data/kept_on_device.h"

#include <algorithm>

#include "alula/data/one_input.h"
#include "alula/data/resident.h"
#include "alula/ops/gather.h"
#include "alula/ops/slice.h"
#include "alula/runtime/devices.h"

namespace alula::data {
namespace {

/// Whether positions follow one another.
bool is_run(std::span<const int64_t> positions) {
  return std::ranges::adjacent_find(positions, [](int64_t a, int64_t b) { return b != a + 1; }) ==
         positions.end();
}

/// The rows from one on. They are not copied if they begin where kernels can load as much at once
/// as they do.
Tensor rows_of(const Tensor& column, int64_t first, int64_t count) {
  constexpr int64_t kLoadBytes = 16;
  const int64_t row_bytes = column.bytes() / column.shape()[0];
  return first * row_bytes % kLoadBytes == 0 ? column.rows(first, first + count)
                                             : slice_along(column, 0, first, count);
}

class KeptWalk final : public InputWalk {
 public:
  KeptWalk(const Stage& stage, const Row& columns, const Context& context)
      : InputWalk(stage, stage.input().walk(context)), columns_(columns) {}

  bool next(Row& row) override {
    Row picks;
    if (!input_->next(picks)) return false;
    const std::span<const int64_t> positions = picks[0].span<int64_t>();
    const bool run = !positions.empty() && is_run(positions);
    row.clear();
    for (const Tensor& column : columns_)
      row.push_back(run ? rows_of(column, positions[0], picks[0].size())
                        : gather(column, picks[0]));
    return true;
  }
  int64_t skip(int64_t count) override { return input_->skip(count); }

 private:
  const Row& columns_;  // the stage's
};

/// Behind the positions of elements, it gives the elements.
class Kept final : public Stage {
 public:
  Kept(const Dataset& dataset, const StageRef& positions, Row columns)
      : Stage("kept", dataset.element_spec(), {positions}), columns_(std::move(columns)) {}
  int64_t cardinality() const override { return input().cardinality(); }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<KeptWalk>(*this, columns_, context);
  }

 private:
  Row columns_;
};

/// Less than this is there before the first batch could have been.
constexpr int64_t kFew = 256 << 20;

}  // namespace

StageRef KeptOnDevice::reader_of(const Dataset& dataset, const Device& device, bool first) {
  const std::lock_guard lock(mutex_);
  if (tried_ && device_ == device) return stage_;
  device_ = device;
  stage_ = nullptr;
  const std::optional<Resident> parts = resident(dataset, device);
  if (!parts.has_value() || !parts->maps.empty()) {
    tried_ = true;
    return nullptr;
  }
  int64_t bytes = 0;
  for (const Tensor& column : parts->columns) bytes += column.bytes();
  tried_ = bytes <= kFew || !first;
  const MemoryInfo memory = backend_of(device).memory();
  if (!tried_ || bytes > (memory.total - memory.in_use) / 2) return nullptr;
  Row columns;
  try {
    for (const Tensor& column : parts->columns) columns.push_back(moved(column, device));
  } catch (const ResourceExhaustedError&) {
    return nullptr;  // others have taken it meanwhile
  }
  parts->source->set_place(fmt::format("on {}", device));
  return stage_ = std::make_shared<Kept>(dataset, parts->positions.stage(), std::move(columns));
}

}  // namespace alula::data
