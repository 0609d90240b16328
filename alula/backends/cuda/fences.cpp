#include "alula/backends/cuda/fences.h"

namespace alula::cuda {

void Fences::set(uint64_t releases) {
  const std::lock_guard lock(mutex_);
  look();
  const bool new_releases =
      standing_.empty() ? releases > passed_ : releases > standing_.back().releases;
  if (!new_releases || standing_.size() == kMost) return;
  const int mark = first_mark_ + next_;
  queue_.mark(mark);
  standing_.push_back({mark, releases});
  next_ = (next_ + 1) % kMost;
}

uint64_t Fences::passed() {
  const std::lock_guard lock(mutex_);
  look();
  return passed_;
}

void Fences::look() {
  for (; !standing_.empty() && queue_.done(standing_.front().mark); standing_.pop_front())
    passed_ = standing_.front().releases;
}

}  // namespace alula::cuda
