#pragma once
#include <algorithm>

#include "alula/data/stage.h"

namespace alula::data {

/// How far a walk through a known number of elements has come.
class Position {
 public:
  explicit Position(int64_t count) : count_(count) {}
  int64_t left() const { return count_ - at_; }
  /// Passes over so many; where they began.
  int64_t take(int64_t count) { return std::exchange(at_, at_ + count); }
  void save(StateWriter& state) const { state.number(at_); }
  void restore(StateReader& state) { at_ = std::min(state.count(), count_); }

 private:
  int64_t count_;
  int64_t at_ = 0;
};

/// A walk through a known number of elements that can be had at any position.
class PositionWalk : public Walk {
 public:
  int64_t skip(int64_t count) final {
    const int64_t passed = std::min(count, at_.left());
    at_.take(passed);
    return passed;
  }
  void save(StateWriter& state) final { at_.save(state); }
  void restore(StateReader& state) final { at_.restore(state); }

 protected:
  PositionWalk(const Stage& stage, int64_t count) : Walk(stage), at_(count) {}
  Position at_;
};

}  // namespace alula::data
