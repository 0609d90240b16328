#include "alula/backends/cuda/emulated/graph.h"

#include <algorithm>
#include <chrono>

#include "alula/backends/cuda/bind.h"
#include "alula/core/memory.h"
#include "alula/runtime/device_config.h"

namespace alula::cuda::emulated {

void EmulatedGraph::run(std::span<void* const> slots) {
  if (config::get_synchronous_execution()) {
    for (const Step& step : steps_)
      backend_.run(*step.op, bind(step.inputs, slots), bind(step.outputs, slots));
    return;
  }
  const bool timed = race_.is_timed();
  const size_t way = race_.next();
  if (captured_ != way || !std::ranges::equal(slots, slots_)) capture(way, slots);
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& work : recording_) work();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  if (timed) race_.took(way, time.count());
}

void EmulatedGraph::capture(size_t way, std::span<void* const> slots) {
  captured_.reset();
  release();
  recording_.clear();
  card_.kept_scratch = &scratch_;
  {
    std::optional<Chain> chain;
    if (ways_[way] == Chaining::kChained) chain.emplace(card_, steps_);
    for (const Step& step : steps_) put(step, slots);
    if (chain) chain->finish(&recording_);
  }
  card_.kept_scratch = nullptr;
  slots_.assign(slots.begin(), slots.end());
  captured_ = way;
}

void EmulatedGraph::put(const Step& step, std::span<void* const> slots) {
  const CurrentCard current(card_);
  const Views inputs = bind(step.inputs, slots), outputs = bind(step.outputs, slots);
  Chain* chain = Chain::current(card_);
  if (chain != nullptr) chain->next_step(inputs, outputs, &recording_);
  if (is_left_to_cpu(*step.op)) {
    if (chain != nullptr) chain->finish(&recording_);
    recording_.emplace_back([op = step.op, inputs, outputs] {
      op->type().kernel(DeviceType::kCPU)(*op, {.inputs = inputs, .outputs = outputs});
    });
  } else {
    step.op->type().kernel(DeviceType::kGPU)(
        *step.op, {.inputs = inputs, .outputs = outputs, .queue = &recording_});
  }
  recording_.emplace_back([this, op = step.op] { backend_.ran(*op); });
}

void EmulatedGraph::release() {
  for (const auto& [block, bytes] : scratch_) memory::release(block, bytes);
  scratch_.clear();
}

}  // namespace alula::cuda::emulated
