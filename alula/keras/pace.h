#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>

namespace alula::keras {

/// How many steps are put on a device's queue at once, where nothing is to be done between them: as
/// many as take it a millisecond or so. With fewer it would wait for the host; with more, nobody
/// would hear of a step for longer than is needed. Found out by timing the first ones.
class Pace {
 public:
  using Duration = std::chrono::duration<double, std::micro>;

  int64_t steps() const { return steps_; }
  /// Whether the next steps are to be timed, from an empty queue to an empty queue.
  bool is_looking() const { return looks_ > 0; }
  /// Told of `count` steps that were timed.
  void took(Duration time, int64_t count) {
    if (!is_looking()) return;
    --looks_;
    if (count != steps_) return;  // at the end of an epoch
    if (++runs_ == 1) return;     // what it takes to get ready is not the steps'
    least_ = runs_ == 2 ? time : std::min(least_, time);
    int64_t wanted = 1;
    while (wanted < kMost && 2.0 * static_cast<double>(wanted) * least_.count() <=
                                 kEnough.count() * static_cast<double>(count))
      wanted *= 2;
    if (wanted > steps_) {
      // A few steps take longer each than many: that of the launch is among it.
      steps_ = std::min(wanted, 8 * steps_);
      runs_ = 0;
    } else if (runs_ == kRuns) {  // one alone may have been held up
      steps_ = wanted;
      looks_ = 0;
    }
  }

 private:
  static constexpr Duration kEnough{1500};
  static constexpr int64_t kMost = 128;
  static constexpr int kRuns = 4;

  int64_t steps_ = 1;
  int runs_ = 0;  // of so many steps
  Duration least_{};
  int looks_ = 20;  // that are left
};

}  // namespace alula::keras
