#pragma once
#include "alula/runtime/dispatch.h"

/// What the ops that only move elements share.
namespace alula {

/// A short list of integers: sizes, positions, steps.
using Ints = InlineVector<int64_t, kMaxRank>;
/// "[1,2]"
std::string to_string(const Ints& values);

/// The cost of an op that reads as many elements as it writes, however many its inputs have.
inline Cost copying_cost(std::span<const Spec> outputs) {
  Cost cost;
  for (const Spec& output : outputs) cost.bytes += 2.0 * static_cast<double>(output.bytes());
  return cost;
}

/// What the gradient of an op that only moves elements reads: specs, and no values.
inline constexpr Needs kNeedsNothing{.inputs = {}, .outputs = {}};

}  // namespace alula

template <>
struct fmt::formatter<alula::Ints> : alula::TextFormatter<alula::Ints> {};
