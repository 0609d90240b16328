#include "alula/ops/axes.h"

namespace alula {

Axes::Axes(std::span<const int64_t> axes) : count_(static_cast<int>(axes.size())) {
  require(axes.size() <= kMaxRank, "axes: a tensor has at most {} dimensions. Got {} axes.",
          kMaxRank, axes.size());
  std::copy(axes.begin(), axes.end(), axes_.begin());
}

std::bitset<kMaxRank> Axes::among(const char* who, int rank) const {
  std::bitset<kMaxRank> chosen;
  if (all()) {
    for (int i = 0; i < rank; ++i) chosen.set(i);
    return chosen;
  }
  for (const int64_t given : this->given()) {
    const int axis = normalize_axis(who, given, rank);
    require(!chosen[axis], "{}: axis {} is given twice. Name each axis once.", who, axis);
    chosen.set(axis);
  }
  return chosen;
}

std::string to_string(const Axes& axes) {
  return axes.all() ? "all" : fmt::format("[{}]", fmt::join(axes.given(), ","));
}

}  // namespace alula
