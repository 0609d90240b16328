#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace alula::cuda {

/// Which of several ways to do the same thing is the fastest. Each is gone a few times, in turn, by
/// runs that have to be done anyway; the one whose best time was the best is gone from then on.
/// Times may come late: until they do, it goes on with the first way.
class Race {
 public:
  explicit Race(size_t ways) : least_(ways, std::numeric_limits<double>::infinity()) {}

  /// The way to go now. Unless it is decided, `took` is to be told of it.
  size_t next() { return decided() ? best() : begun_ < runs() ? begun_++ % least_.size() : 0; }
  /// Whether the next run is to be timed.
  bool is_timed() const { return !decided() && begun_ < runs(); }
  bool decided() const { return ended_ == runs(); }
  /// A way took so long. Only the runs that were to be timed are told of.
  void took(size_t way, double time) {
    least_[way] = std::min(least_[way], time);
    ++ended_;
  }
  /// The best so far; the first, if nothing is known.
  size_t best() const {
    return static_cast<size_t>(std::ranges::min_element(least_) - least_.begin());
  }

 private:
  static constexpr size_t kRounds = 3;
  size_t runs() const { return least_.size() > 1 ? kRounds * least_.size() : 0; }

  std::vector<double> least_;     // by way
  size_t begun_ = 0, ended_ = 0;  // timed runs
};

}  // namespace alula::cuda
