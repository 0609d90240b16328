#pragma once
#include "alula/data/stage.h"

namespace alula::data {

/// A block of elements from walks that follow one another. `read(count, part)` takes a block of the
/// one that is open; where it has no more, `go_on()` opens the next, or says that there is none.
template <class Read, class GoOn>
int64_t chained_block(const Stage& who, int64_t count, Row& block, const Read& read,
                      const GoOn& go_on) {
  Stack stack(who, count);
  while (stack.size() < count) {
    Row part;
    const int64_t wanted = count - stack.size(), given = read(wanted, part);
    if (given == count) {
      block = std::move(part);
      return count;
    }
    if (given > 0) stack.add(part, 0, given);
    if (given < wanted && !go_on()) break;
  }
  block = stack.take();
  return stack.size();
}

}  // namespace alula::data
