// How an OnDevice runs: where its inputs, variables and results are, what the host makes, launches.
#include <algorithm>
#include <cstring>

#include "alula/graph/on_device_values.h"
#include "alula/graph/run.h"
#include "alula/ops/random.h"
#include "alula/runtime/autocast.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/unheard.h"

namespace alula::graph {
namespace {

/// To read an input at a new address is to capture anew, which takes as long as some runs.
constexpr int64_t kForSomeTime = 16;

}  // namespace

/// An input that stays at one address for some time is read there. One that does not is copied to a
/// place of its own, and so is what comes from elsewhere.
void OnDevice::bind_inputs(TensorRefs inputs) {
  for (size_t k = 0; k < inputs_.size(); ++k) {
    const int slot = layout_.places[inputs_[k]][0].slot;
    void*& at = slots_[static_cast<size_t>(slot)];
    const Tensor& input = inputs[k];
    if (stays_on_host(input)) {
      held(slot) = input;
      continue;
    }
    const bool here = input.device() == device_;
    if (here && !moves_[k] && at != address(input) &&
        (at == nullptr || stayed_[k] >= kForSomeTime)) {
      at = address(input);
      stayed_[k] = 0;
    }
    if (here && !moves_[k] && at == address(input)) {
      ++stayed_[k];
      hold(slot, input);
      continue;
    }
    if (!moves_[k]) {
      moves_[k] = true;
      hold(slot, Tensor::uninitialized(input.spec(), backend_));
    } else if (!held(slot).unique()) {  // it was given out
      hold(slot, Tensor::uninitialized(input.spec(), backend_));
    }
    const auto bytes = static_cast<size_t>(input.bytes());
    if (here)
      backend_.copy(at, input.data(), bytes);
    else
      backend_.upload(at, moved(input, kCPU));
  }
}

/// Variables move to the device, and stay there. One whose elements somebody else holds gets its
/// own before it is written.
void OnDevice::bind_variables() {
  for (const Variable& variable : host_variables_)
    if (!variable.device().is_cpu()) variable.storage() = moved(variable.storage(), kCPU);
  for (size_t i : variables_) {
    Tensor& storage = graph_.nodes[i].variable.storage();
    const int slot = layout_.places[i][0].slot;
    held(slot) = {};
    if (storage.device() != device_) {
      storage = moved(storage, device_);
    } else if (!storage.unique()) {
      const bool written = std::any_of(
          graph_.updates.begin(), graph_.updates.end(),
          [&](const auto& update) { return update.first.same_as(graph_.nodes[i].variable); });
      if (written) {
        Tensor copy = Tensor::uninitialized(storage.spec(), backend_);
        backend_.copy(copy.mutable_data(), storage.data(), static_cast<size_t>(copy.bytes()));
        storage = copy;
      }
    }
    slots_[static_cast<size_t>(slot)] = address(storage);
  }
}

/// A result that nobody holds any more is written again.
void OnDevice::bind_results() {
  for (size_t k = 0; k < layout_.results.size(); ++k) {
    const Value& value = layout_.results[k];
    const int slot = layout_.first_result + static_cast<int>(k);
    const Spec& spec = graph_.spec(value);
    if (!held(slot).defined() || !held(slot).unique())
      hold(slot, Tensor::uninitialized(spec, backend_));
  }
  for (const auto& [node, slot] : values_->old_slots)
    if (!held(slot).defined() || !held(slot).unique())
      hold(slot, Tensor::uninitialized(graph_.spec({node, 0}), backend_));
}

/// What host code gives, and what the device cannot compute; what a kernel is to draw from.
void OnDevice::make(size_t i, HostValues& values) {
  const Node& node = graph_.nodes[i];
  if (node.kind == Node::Kind::kHost) {
    values.set(i, node.host->run({}));
    return;
  }
  const Unheard unheard;
  const DeviceScope scope(kCPU);
  std::vector<const Spec*> specs;
  for (const Value& input : node.inputs) specs.push_back(&graph_.spec(input));
  std::unique_ptr<Op> drawn;
  if (node.op->type().random) drawn = node.op->drawn_again(SpecRefs(specs));
  if (node.by_host == Node::Host::kDraws) {  // its operands are none of the host's business
    const random::Stream& stream = dynamic_cast<const RandomDraw&>(*drawn).stream;
    const std::vector<uint64_t> words{stream.key, stream.high, stream.low};
    values.set(i, {Tensor(words)});
    return;
  }
  std::vector<Tensor> operands;
  for (const Value& input : node.inputs) {
    const Value root = root_of(graph_, input);
    const bool here = values.has(root);
    Tensor operand = here ? values.get(root) : moved(tensor_of(root), kCPU);
    operands.push_back(in_shape(operand, graph_.spec(input).shape));
  }
  values.set(i, call_all(drawn != nullptr ? *drawn : *node.op, operands));
}

/// Makes what a stage needs of the host, and writes it where the feed is put together.
void OnDevice::feed(const Stage& stage, HostValues& values, std::byte* to) {
  for (size_t i : stage.made) {
    make(i, values);
    const Node& node = graph_.nodes[i];
    if (node.by_host == Node::Host::kDraws) {
      std::memcpy(to + feed_offsets_[i], values.get({i, 0}).data(), stream_spec().bytes());
      continue;
    }
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      if (node.outputs[k].dtype == string) continue;
      const Tensor value = moved(values.get({i, static_cast<int>(k)}), kCPU);
      require<InternalError>(value.spec() == node.outputs[k],
                             "function: host code gave {} where {} was expected.", value.spec(),
                             node.outputs[k]);
      if (value.size() > 0)
        std::memcpy(to + layout_.places[i][k].offset, value.data(),
                    static_cast<size_t>(value.bytes()));
    }
  }
}

Executable& OnDevice::list_of(Stage& stage, int64_t times) {
  if (!is_whole()) {
    if (stage.list == nullptr) stage.list = backend_.prepare(stage.steps);
    return *stage.list;
  }
  auto& list = lists_[times];
  if (list == nullptr) list = backend_.prepare(repeated(stage.steps, times));
  return *list;
}

/// Puts back what variables of the host were, unless all went well.
class RestoreVariables {
 public:
  explicit RestoreVariables(const std::vector<Variable>& variables) : variables_(variables) {
    for (const Variable& variable : variables) before_.push_back(stored_value(variable));
  }
  ~RestoreVariables() {
    for (size_t i = 0; i < before_.size(); ++i) variables_[i].storage() = before_[i];
  }
  RestoreVariables(const RestoreVariables&) = delete;
  RestoreVariables& operator=(const RestoreVariables&) = delete;
  void keep_changes() { before_.clear(); }

 private:
  const std::vector<Variable>& variables_;
  std::vector<Tensor> before_;
};

void OnDevice::update_host_variables() {
  const Unheard unheard;
  for (auto& [variable, value] : host_updates_) variable.assign(values_->get(value));
}

void OnDevice::run_whole(int64_t times, std::vector<Tensor>* firsts) {
  std::vector<std::byte> feeds(static_cast<size_t>(times) * feed_bytes_);
  RestoreVariables restore(host_variables_);
  for (int64_t k = 0; k < times; ++k) {
    feed(stages_[0], *values_, feeds.data() + static_cast<size_t>(k) * feed_bytes_);
    update_host_variables();
  }
  if (!feeds.empty())
    backend_.copy_from_host(slots_[static_cast<size_t>(feed_slot_)], feeds.data(), feeds.size());
  list_of(stages_[0], times).run(slots_);
  restore.keep_changes();
  if (firsts == nullptr || first_slot_ < 0) return;
  const Tensor& last = held(first_slot_);
  const auto each = static_cast<int64_t>(kDeviceAlignment / size_of(last.dtype()));
  Tensor all = Tensor::uninitialized(last.spec().with({times, each}), backend_);
  auto* to = static_cast<std::byte*>(all.mutable_data());
  const size_t before = static_cast<size_t>(times - 1) * kDeviceAlignment;
  if (before > 0) backend_.copy(to, slots_[static_cast<size_t>(history_slot_)], before);
  backend_.copy(to + before, last.data(), static_cast<size_t>(last.bytes()));
  firsts->push_back(std::move(all));
}

void OnDevice::run_in_stages(std::vector<Tensor>* firsts) {
  std::vector<std::byte> feed_block(feed_bytes_);
  RestoreVariables restore(host_variables_);
  for (Stage& stage : stages_) {
    feed(stage, *values_, feed_block.data());
    if (!stage.made.empty() && feed_bytes_ > 0)
      backend_.copy_from_host(slots_[static_cast<size_t>(feed_slot_)], feed_block.data(),
                              feed_bytes_);
    list_of(stage, 1).run(slots_);
  }
  update_host_variables();
  restore.keep_changes();
  if (firsts == nullptr || graph_.outputs.empty() || graph_.spec(graph_.outputs[0]).rank() != 0)
    return;
  firsts->push_back(moved(outputs(*values_)[0], kCPU).reshaped({1, 1}));
}

/// A value that has a tensor of its own on the device.
Tensor OnDevice::tensor_of(const Value& value) {
  const Value root = root_of(graph_, value);
  const Node& node = graph_.nodes[root.node];
  if (node.kind == Node::Kind::kVariable)
    return node.variable.storage().reshaped(graph_.spec(value).shape);
  return held(layout_.place(root).slot).reshaped(graph_.spec(value).shape);
}

Tensors OnDevice::outputs(HostValues& values) {
  Tensors outputs;
  for (const Value& output : graph_.outputs) {
    const Value root = root_of(graph_, output);
    if (const int kept = values.old_slot(root); kept >= 0) {
      outputs.push_back(held(kept).reshaped(graph_.spec(output).shape));
      continue;
    }
    if (!values.has(root)) {
      outputs.push_back(tensor_of(output));
      continue;
    }
    const Tensor made = in_shape(values.get(root), graph_.spec(output).shape);
    outputs.push_back(stays_on_host(made) ? made : moved(made, device_));
  }
  return outputs;
}

Tensors OnDevice::run(TensorRefs inputs, int64_t times, std::vector<Tensor>* firsts) {
  const std::lock_guard lock(mutex_);
  bind_inputs(inputs);
  bind_variables();
  bind_results();
  for (int64_t left = times; left > 0;) {
    int64_t now = 1;  // a power of two, so that there are few lists
    while (2 * now <= std::min(left, most_runs_)) now *= 2;
    if (is_whole())
      run_whole(now, firsts);
    else
      run_in_stages(firsts);
    left -= now;
  }
  Tensors results = outputs(*values_);
  // Whoever gave an input may let go of it, large as it may be.
  for (size_t k = 0; k < inputs_.size(); ++k)
    if (!moves_[k]) held(layout_.places[inputs_[k]][0].slot) = {};
  return results;
}

}  // namespace alula::graph
