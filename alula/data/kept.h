#pragma once
#include <numeric>
#include <vector>

#include "alula/data/stage.h"

namespace alula::data {

/// Some of the elements of a block, that wait for a reader.
class Kept {
 public:
  int64_t left() const { return std::ssize(rows_) - at_; }
  /// The elements `rows` of a block of `count`.
  void set(Row block, int64_t count, std::vector<int64_t> rows) {
    block_ = std::move(block);
    count_ = count;
    rows_ = std::move(rows);
    at_ = 0;
  }
  Row take_one() { return row_of(block_, rows_[static_cast<size_t>(at_++)]); }
  /// Hands the block itself on, if a reader wants just so many and all are there.
  bool take_whole(int64_t count, Row& block) {
    if (at_ != 0 || count != count_ || std::ssize(rows_) != count) return false;
    at_ = count;
    block = std::move(block_);
    return true;
  }
  /// Adds up to so many to a stack; how many. Those that lie together are copied together.
  int64_t take(int64_t count, Stack& stack) {
    const int64_t taken = std::min(count, left());
    for (const int64_t end = at_ + taken; at_ < end;) {
      const int64_t first = row(at_), begin = at_;
      while (at_ < end && row(at_) == first + at_ - begin) ++at_;
      stack.add(block_, first, first + at_ - begin);
    }
    return taken;
  }
  void save(const Stage& who, StateWriter& state) const {
    Stack stack(who, left());
    for (int64_t i = at_; i < std::ssize(rows_); ++i) stack.add(block_, row(i), row(i) + 1);
    state.tensors(stack.take());
  }
  void restore(const Stage& who, StateReader& state) {
    int64_t count = 0;
    Row block = read_block(state, who.spec(), count);
    std::vector<int64_t> rows(static_cast<size_t>(count));
    std::iota(rows.begin(), rows.end(), int64_t{0});
    set(std::move(block), count, std::move(rows));
  }

 private:
  int64_t row(int64_t i) const { return rows_[static_cast<size_t>(i)]; }

  Row block_;
  int64_t count_ = 0;
  std::vector<int64_t> rows_;
  int64_t at_ = 0;
};

}  // namespace alula::data
