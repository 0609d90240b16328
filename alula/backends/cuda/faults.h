#pragma once
#include "alula/runtime/device_config.h"
#include "alula/runtime/op.h"

/// A kernel that fails does so long after its launch, and whoever waits next hears of it. Where
/// execution is synchronous, each op is waited for, so that the error can name it.
namespace alula::cuda {

/// Throws an InternalError that says which op failed, on what, and why.
[[noreturn]] void fail_in(const Op& op, std::span<const View> inputs, const InternalError& error);

/// What a report of a fault ends with where the op is not known: how to find it.
std::string how_to_find_the_op();

/// Calls `put`, which puts an op on a queue; where execution is synchronous, also `wait`.
template <class Put, class Wait>
void run_op(const Op& op, std::span<const View> inputs, Put&& put, Wait&& wait) {
  if (!config::get_synchronous_execution()) [[likely]]
    return put();
  try {
    put();
    wait();
  } catch (const InternalError& error) {
    fail_in(op, inputs, error);
  }
}

}  // namespace alula::cuda
