#pragma once
#include "alula/data/host.h"
#include "alula/data/stage.h"

/// What walks need to put blocks together. An element that fails counts as one that does not, so
/// that whoever counts elements, or keeps data sets in step, need not know which of them failed.
namespace alula::data {

/// Calls `f`. If it fails, `error` is why, unless something failed before; whether it did not.
template <class F>
bool guarded(std::exception_ptr& error, const F& f) {
  try {
    f();
    return true;
  } catch (...) {
    if (asks_to_stop()) throw;
    if (error == nullptr) error = std::current_exception();
    return false;
  }
}

/// Takes `count` elements; how many there were. `read(taken)` reads one or more behind those that
/// have been taken, and says how many: 0 at the end. If it throws, one has failed.
template <class Read>
int64_t fill_block(int64_t count, std::exception_ptr& error, const Read& read) {
  int64_t taken = 0;
  for (int64_t more = 1; more > 0 && taken < count; taken += more) {
    more = 1;
    guarded(error, [&] { more = read(taken); });
  }
  return taken;
}

/// Stacks the next `count` elements of a walk, one by one; how many there were.
inline int64_t stack_singly(Walk& walk, int64_t count, Stack& stack, std::exception_ptr& error) {
  return fill_block(count, error, [&](int64_t) {
    Row row;
    if (!walk.next(row)) return 0;
    stack.add(row);
    return 1;
  });
}

}  // namespace alula::data
