#pragma once
#include "alula/data/blocks.h"

namespace alula::data {

/// A block of elements from walks that follow one another. `read(count, part)` takes a block of the
/// one that is open; where it has no more, `go_on()` opens the next, or says that there is none.
template <class Read, class GoOn>
int64_t chained_block(const Stage& who, int64_t count, Row& block, std::exception_ptr& error,
                      const Read& read, const GoOn& go_on) {
  Stack stack(who, count);
  block.clear();
  const int64_t taken = fill_block(count, error, [&](int64_t before) {
    for (bool more = true; more; more = go_on()) {
      Row part;
      const int64_t given = read(count - before, part);
      if (given == count)
        block = std::move(part);
      else if (given > 0 && error == nullptr)
        stack.add(part, 0, given);
      if (given > 0) return given;
    }
    return int64_t{0};
  });
  if (stack.size() > 0) block = stack.take();
  return taken;
}

}  // namespace alula::data
