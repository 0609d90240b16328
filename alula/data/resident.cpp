#include "alula/data/resident.h"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "alula/core/log.h"

namespace alula::data {
namespace {

Dataset positions_of(int64_t count) {
  std::vector<int64_t> positions(static_cast<size_t>(count));
  std::iota(positions.begin(), positions.end(), int64_t{0});
  return Dataset::from_tensor_slices(Tensor(positions));
}

/// Takes a pipeline apart, a step at a time, from its source on.
class Taker {
 public:
  Taker(const StageRef& source, Device device)
      : device_(device), positions_(positions_of(source->indexed()->count()).stage()) {}

  /// Why a step must run on the host; empty if it need not.
  std::string take(const StageRef& step) {
    if (step->mapping() != nullptr) return take_map(step);
    const bool batches = step->name() == "batch";
    if (!batches && !row_of_.empty() && !keeps_rows(*step))
      return fmt::format("{} draws random numbers for elements in a row, which it breaks up",
                         row_of_);
    // What comes of positions need not be made ahead.
    StageRef next =
        step->name() == "prefetch" ? standing_for(*step, positions_) : step->onto(positions_);
    if (next == nullptr) return step->why_on_host();
    positions_ = std::move(next);
    if (batches) {
      batch_ = positions_->input_block(1);
      row_of_.clear();
    }
    return "";
  }

  bool gives_batches() const { return positions_->spec().specs[0].rank() == 1; }
  const StageRef& positions() const { return positions_; }
  LateMaps maps;
  std::vector<StageRef> mapped;

 private:
  /// Whether elements that follow one another still do so behind it.
  static bool keeps_rows(const Stage& step) {
    constexpr std::string_view kThose[] = {"cache", "prefetch", "skip", "take"};
    return std::ranges::find(kThose, step.name()) != std::end(kThose);
  }

  std::string take_map(const StageRef& step) {
    const std::shared_ptr<const Traced> function = step->mapping();
    const bool each = batch_ == 0;
    std::vector<Spec> specs = step->input().spec().specs;
    if (!each)
      for (Spec& spec : specs)
        if (spec.rank() > 0 && spec.shape[0] == kUnknown) spec.shape = spec.shape.with(0, batch_);
    std::string why = function->why_not_on(device_, specs, {.stacked = each ? 2 : 0});
    if (!why.empty()) return why;
    LateMaps::Map map{function, each, 0, step->title()};
    if (function->draws()) {
      map.note = positions_->spec().specs.size();
      positions_ = noting(positions_);
      if (each) row_of_ = step->title();
    } else {
      positions_ = standing_for(*step, positions_);
    }
    maps.add(std::move(map));
    mapped.push_back(step);
    return "";
  }

  Device device_;
  StageRef positions_;
  int64_t batch_ = 0;   // how many elements a batch has, behind `batch`
  std::string row_of_;  // a map whose elements must stay in a row until there is a batch
};

void say_why(const Stage& step, const std::string& why, Device device) {
  step.set_place(
      fmt::format("on the host, and so batches for {} come from there: {}", device, why));
  logging::info("{}: batches for {} come from the host: {}.", step.title(), device, why);
}

}  // namespace

std::optional<Resident> resident(const Dataset& dataset, Device device) {
  std::vector<StageRef> steps;  // the last first
  StageRef source = dataset.stage();
  for (; source->inputs().size() == 1; source = source->inputs()[0]) steps.push_back(source);
  const auto fault = [&](const Stage& step, const std::string& why) -> std::optional<Resident> {
    say_why(step, why, device);
    return {};
  };
  const Indexed* all = source->indexed();
  if (!source->inputs().empty()) return fault(*source, "it has several inputs");
  if (all == nullptr || all->columns() == nullptr) return fault(*source, "it is not in memory");
  const Row& columns = *all->columns();
  const bool strings = std::any_of(columns.begin(), columns.end(),
                                   [](const Tensor& column) { return column.dtype() == string; });
  if (strings) return fault(*source, "it has strings");
  if (all->count() == 0) return fault(*source, "it is empty");
  Taker taker(source, device);
  for (const StageRef& step : std::views::reverse(steps))
    if (const std::string why = taker.take(step); !why.empty()) return fault(*step, why);
  if (!taker.gives_batches()) return fault(*dataset.stage(), "it gives no batches of elements");
  for (const StageRef& step : steps) step->set_place("");
  return Resident{columns, dataset.in_place_of(taker.positions()), std::move(taker.maps),
                  std::move(taker.mapped), source};
}

}  // namespace alula::data
