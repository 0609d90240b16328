#include "alula/data/resident.h"

#include <algorithm>
#include <numeric>
#include <ranges>

namespace alula::data {
namespace {

Dataset positions_of(int64_t count) {
  std::vector<int64_t> positions(static_cast<size_t>(count));
  std::iota(positions.begin(), positions.end(), int64_t{0});
  return Dataset::from_tensor_slices(Tensor(positions));
}

}  // namespace

std::optional<Resident> resident(const Dataset& dataset) {
  std::vector<const Stage*> steps;  // the last first
  const Stage* stage = dataset.stage().get();
  for (; stage->inputs().size() == 1; stage = &stage->input()) steps.push_back(stage);
  const Indexed* source = stage->indexed();
  if (!stage->inputs().empty() || source == nullptr || source->columns() == nullptr) return {};
  const Row& columns = *source->columns();
  const bool strings = std::any_of(columns.begin(), columns.end(),
                                   [](const Tensor& column) { return column.dtype() == string; });
  if (strings || source->count() == 0) return {};
  StageRef positions = positions_of(source->count()).stage();
  for (const Stage* step : std::views::reverse(steps)) {
    positions = step->onto(positions);
    if (positions == nullptr) return {};
  }
  return Resident{columns, Dataset(positions)};
}

}  // namespace alula::data
