#include "alula/data/counted_input.h"

#include <limits>

namespace alula::data {
namespace {

/// The place so many elements further. All of them may be meant.
int64_t beyond(int64_t position, int64_t count) {
  return count > std::numeric_limits<int64_t>::max() - position
             ? std::numeric_limits<int64_t>::max()
             : position + count;
}

}  // namespace

CountedInput::CountedInput(const Stage& input, const Context& context)
    : input_(input), context_(context), walk_(input.walk(context)), singly_(context.block == 1) {}

/// `read` says how many of `count` elements there were.
template <class F>
int64_t CountedInput::take(int64_t count, const F& read) {
  catch_up();
  try {
    const int64_t given = read();
    at_ += given;
    return given;
  } catch (...) {
    lost_ = !singly_;
    at_ = beyond(at_, count);
    throw;
  }
}

bool CountedInput::next(Row& row) {
  return take(1, [&] { return walk_->next(row) ? 1 : 0; }) > 0;
}

int64_t CountedInput::next_block(int64_t count, Row& block) {
  if (!singly_) return take(count, [&] { return walk_->next_block(count, block); });
  const int64_t end = beyond(at_, count);
  try {
    Stack stack(input_, count);
    for (Row row; stack.size() < count && next(row);) stack.add(row);
    block = stack.take();
    return stack.size();
  } catch (...) {
    go_to(end);
    throw;
  }
}

int64_t CountedInput::skip(int64_t count) {
  if (!singly_) return take(count, [&] { return walk_->skip(count); });
  const int64_t begin = at_, end = beyond(at_, count);
  try {
    while (at_ < end && take(1, [&] { return walk_->skip(1); }) > 0) {
    }
    return at_ - begin;
  } catch (...) {
    go_to(end);
    throw;
  }
}

void CountedInput::go_to(int64_t position) {
  if (position <= at_) return;
  behind_ += position - at_;
  at_ = position;
}

void CountedInput::walk_singly() {
  walk_.reset();
  walk_ = input_.walk(context_.with_block(1));
  singly_ = true;
}

void CountedInput::catch_up() {
  if (behind_ > 0 && !singly_ && !lost_) {
    try {
      walk_->skip(behind_);
      behind_ = 0;
    } catch (const Error&) {
      lost_ = true;
    }
  }
  if (lost_) {
    walk_singly();
    behind_ = at_;
    lost_ = false;
  }
  while (behind_ > 0) {
    --behind_;
    try {
      if (walk_->skip(1) == 0) behind_ = 0;
    } catch (const Error&) {
      if (context_.stop.stop_requested()) throw;
    }
  }
}

void CountedInput::save(StateWriter& state) {
  catch_up();
  state.number(at_);
  state.number(singly_ ? 1 : 0);
  walk_->save(state);
}

void CountedInput::restore(StateReader& state) {
  at_ = state.count();
  if (state.number() != 0 && !singly_) walk_singly();
  walk_->restore(state);
}

}  // namespace alula::data
