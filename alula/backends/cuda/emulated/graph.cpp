#include "alula/backends/cuda/emulated/graph.h"

#include <algorithm>

#include "alula/backends/cuda/bind.h"
#include "alula/backends/cuda/chain.h"
#include "alula/core/memory.h"
#include "alula/runtime/device_config.h"

namespace alula::cuda::emulated {

void EmulatedGraph::run(std::span<void* const> slots) {
  if (config::get_synchronous_execution()) {
    for (const Step& step : steps_)
      backend_.run(*step.op, bind(step.inputs, slots), bind(step.outputs, slots));
    return;
  }
  if (!captured_ || !std::equal(slots.begin(), slots.end(), slots_.begin(), slots_.end()))
    capture(slots);
  for (const auto& work : recording_) work();
}

void EmulatedGraph::capture(std::span<void* const> slots) {
  captured_ = false;
  release();
  recording_.clear();
  card_.kept_scratch = &scratch_;
  {
    Chain chain(card_, steps_);
    for (const Step& step : steps_) put(step, slots);
    chain.finish(&recording_);
  }
  card_.kept_scratch = nullptr;
  slots_.assign(slots.begin(), slots.end());
  captured_ = true;
}

void EmulatedGraph::put(const Step& step, std::span<void* const> slots) {
  const CurrentCard current(card_);
  const Views inputs = bind(step.inputs, slots), outputs = bind(step.outputs, slots);
  Chain::current(card_)->next_step(inputs, outputs, &recording_);
  if (is_left_to_cpu(*step.op)) {
    Chain::current(card_)->finish(&recording_);
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
