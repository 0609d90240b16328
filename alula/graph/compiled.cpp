#include "alula/graph/compiled.h"

#include <algorithm>
#include <map>

#include "alula/core/memory.h"
#include "alula/graph/plan.h"
#include "alula/ops/elementwise.h"
#include "alula/ops/multi_elementwise.h"
#include "alula/runtime/devices.h"

namespace alula::graph {
namespace {

SpecRefs specs_of(const Graph& graph, const Node& node, std::vector<const Spec*>& room) {
  room.clear();
  for (const Value& input : node.inputs) room.push_back(&graph.spec(input));
  return SpecRefs(room);
}

/// Whether output `output` of an op may lie where its input `input` does, and the op cannot fail
/// half-way: each element is read before it is written, and by nobody after.
bool may_write_over(const Node& node, size_t input, size_t output) {
  if (const auto* one = dynamic_cast<const ElementwiseOp*>(node.op.get()))
    return !one->program().can_fail() && node.outputs.size() == 1;
  const auto* multi = dynamic_cast<const MultiElementwise*>(node.op.get());
  if (multi == nullptr || multi->program->can_fail()) return false;
  const auto shared = static_cast<size_t>(multi->shared);
  return input >= shared &&
         (input - shared) / multi->group_inputs() == output / multi->program->results().size();
}

}  // namespace

Compiled::Compiled(Graph graph) : graph_(std::move(graph)) {
  for (const Node& node : graph_.nodes) {
    places_.emplace_back(node.outputs.size());
    for (const Spec& output : node.outputs)
      output.shape.checked_size("function", size_of(output.dtype));
  }
  find_lasts();
  choose_in_place();
  place_values();
  place_in_arena();
  make_steps();
}

Compiled::~Compiled() {
  if (arena_ != nullptr) memory::release(arena_, arena_bytes_);
}

bool Compiled::is_view(const Node& node) const {
  return node.kind == Node::Kind::kOp && node.op->type().view;
}

/// Random numbers are drawn before a run, by the same calls as in an eager one.
bool Compiled::is_drawn(const Node& node) const {
  return node.kind == Node::Kind::kOp && node.op->type().random;
}

/// The value whose elements this is: views have none of their own.
Value Compiled::root_of(Value value) const {
  while (is_view(graph_.nodes[value.node])) value = graph_.nodes[value.node].inputs[0];
  return value;
}

void Compiled::find_lasts() {
  lasts_.assign(graph_.nodes.size(), 0);
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    lasts_[i] = std::max(lasts_[i], i);
    for (const Value& input : graph_.nodes[i].inputs) {
      const size_t root = root_of(input).node;
      lasts_[root] = std::max(lasts_[root], i);
    }
  }
}

/// A node may write over a variable if it makes its new value, nobody reads the old one later, and
/// nobody in the graph reads what it makes: such nodes run last, when nothing can fail any more.
void Compiled::choose_in_place() {
  in_place_.assign(graph_.nodes.size(), false);
  std::vector<bool> read(graph_.nodes.size(), false);
  for (const Node& node : graph_.nodes)
    for (const Value& input : node.inputs) read[root_of(input).node] = true;
  for (const Value& output : graph_.outputs) read[root_of(output).node] = true;
  std::map<size_t, std::vector<std::pair<Value, Variable>>> made;  // by node
  for (const auto& [variable, value] : graph_.updates)
    made[value.node].emplace_back(value, variable);
  for (const auto& [i, updates] : made) {
    const Node& node = graph_.nodes[i];
    if (node.kind != Node::Kind::kOp || read[i] || updates.size() != node.outputs.size()) continue;
    in_place_[i] = std::all_of(updates.begin(), updates.end(), [&](const auto& update) {
      return may_take_place_of(i, static_cast<size_t>(update.first.index), update.second);
    });
  }
}

bool Compiled::may_take_place_of(size_t i, size_t output, const Variable& variable) const {
  const size_t old = node_of(variable);
  const Node& node = graph_.nodes[i];
  if (lasts_[old] != i || node.outputs[output] != variable.spec()) return false;
  for (size_t k = 0; k < node.inputs.size(); ++k)
    if (root_of(node.inputs[k]).node == old && !may_write_over(node, k, output)) return false;
  return true;
}

/// The node that is a variable's value at the start of a run.
size_t Compiled::node_of(const Variable& variable) const {
  for (size_t k = 0; k < graph_.nodes.size(); ++k)
    if (graph_.nodes[k].kind == Node::Kind::kVariable && graph_.nodes[k].variable.same_as(variable))
      return k;
  fail<InternalError>("function: the variable '{}' is not in its graph.", variable.name());
}

/// Slots of their own for what comes from outside, and for what goes there.
void Compiled::place_values() {
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (node.kind == Node::Kind::kOp && !is_drawn(node)) continue;
    for (Place& place : places_[i]) place.slot = slots_++;
  }
  for (const auto& [variable, value] : graph_.updates) {
    if (in_place_[value.node]) place(value) = places_[node_of(variable)][0];
  }
  first_result_ = slots_;
  leaves_.assign(graph_.nodes.size(), false);
  const auto give_slot = [&](const Value& value) {
    const Value root = root_of(value);
    leaves_[root.node] = true;
    if (place(root).slot >= 0) return;
    place(root).slot = slots_++;
    results_.push_back(root);
  };
  for (const Value& output : graph_.outputs) give_slot(output);
  for (const auto& [variable, value] : graph_.updates) give_slot(value);
}

void Compiled::place_in_arena() {
  std::vector<Block> blocks;
  std::vector<Place*> owners;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (is_view(node)) continue;
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      if (places_[i][k].slot >= 0) continue;
      // What runs last is needed until then.
      size_t last = lasts_[i];
      if (in_place_[last]) last = graph_.nodes.size();
      blocks.push_back({static_cast<size_t>(node.outputs[k].bytes()), i, last});
      owners.push_back(&places_[i][k]);
    }
  }
  // A node that runs last may read what others have read after it in the list.
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (!in_place_[i]) continue;
    for (const Value& input : graph_.nodes[i].inputs) {
      const Place* owner = &place(root_of(input));
      for (size_t b = 0; b < owners.size(); ++b)
        if (owners[b] == owner) blocks[b].last = graph_.nodes.size();
    }
  }
  const Plan plan = plan_memory(blocks);
  for (size_t b = 0; b < blocks.size(); ++b) *owners[b] = {0, plan.offsets[b]};
  arena_bytes_ = plan.bytes;
  least_bytes_ = least_memory(blocks);
  for (size_t i = 0; i < graph_.nodes.size(); ++i)
    if (is_view(graph_.nodes[i])) places_[i][0] = place(root_of({i, 0}));
}

void Compiled::make_steps() {
  std::vector<Step> body, updates;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (node.kind != Node::Kind::kOp || is_view(node) || is_drawn(node)) continue;
    Step step{.op = node.op, .inputs = {}, .outputs = {}};
    for (const Value& input : node.inputs)
      step.inputs.push_back({graph_.spec(input), place(input).slot, place(input).offset});
    for (size_t k = 0; k < node.outputs.size(); ++k)
      step.outputs.push_back({node.outputs[k], places_[i][k].slot, places_[i][k].offset});
    (in_place_[i] ? updates : body).push_back(std::move(step));
  }
  Backend& cpu = backend_of(kCPU);
  body_ = cpu.prepare(std::move(body));
  updates_ = cpu.prepare(std::move(updates));
}

/// One run: the tensors that it holds, and their addresses.
class Compiled::Run {
 public:
  explicit Run(Compiled& compiled)
      : compiled_(compiled), lock_(compiled.arena_mutex_, std::try_to_lock) {
    slots_.assign(static_cast<size_t>(compiled.slots_), nullptr);
    values_.resize(slots_.size());
    if (!lock_.owns_lock()) {  // another thread is at it: an arena for this run alone
      own_arena_ = memory::allocate(compiled.arena_bytes_);
      slots_[0] = own_arena_;
      return;
    }
    if (compiled.arena_ == nullptr) compiled.arena_ = memory::allocate(compiled.arena_bytes_);
    slots_[0] = compiled.arena_;
  }
  ~Run() {
    if (own_arena_ != nullptr) memory::release(own_arena_, compiled_.arena_bytes_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  std::vector<Tensor> operator()(std::span<const Tensor> inputs) {
    bind_leaves(inputs);
    for (size_t i = 0; i < compiled_.results_.size(); ++i)
      hold(compiled_.first_result_ + static_cast<int>(i),
           Tensor::uninitialized(compiled_.graph_.spec(compiled_.results_[i])));
    compiled_.body_->run(slots_);
    bind_variables_to_write();
    compiled_.updates_->run(slots_);
    std::vector<Tensor> outputs;
    for (const Value& output : compiled_.graph_.outputs) outputs.push_back(tensor_of(output));
    for (const auto& [variable, value] : compiled_.graph_.updates)
      if (!compiled_.in_place_[value.node]) {
        const Tensor made = tensor_of(value);
        variable.storage() = made.reshaped(made.shape());
      }
    return outputs;
  }

 private:
  void hold(int slot, Tensor tensor) {
    values_[static_cast<size_t>(slot)] = std::move(tensor);
    slots_[static_cast<size_t>(slot)] =
        const_cast<void*>(values_[static_cast<size_t>(slot)].data());
  }

  void bind_leaves(std::span<const Tensor> inputs) {
    size_t input = 0;
    for (size_t i = 0; i < compiled_.graph_.nodes.size(); ++i) {
      const Node& node = compiled_.graph_.nodes[i];
      const int slot = compiled_.places_[i].empty() ? -1 : compiled_.places_[i][0].slot;
      switch (node.kind) {
        case Node::Kind::kInput: hold(slot, moved(inputs[input++], kCPU)); break;
        case Node::Kind::kConstant: hold(slot, moved(node.constant, kCPU)); break;
        case Node::Kind::kVariable: {
          // If nobody gets to see the old value, it is not held: then it is written in place.
          const Tensor& storage = node.variable.storage();
          if (storage.device().is_cpu() && !compiled_.leaves_[i])
            slots_[static_cast<size_t>(slot)] = const_cast<void*>(storage.data());
          else
            hold(slot, moved(storage, kCPU));
          break;
        }
        case Node::Kind::kHost: bind_all(i, node.host->run({})); break;
        case Node::Kind::kOp:
          if (compiled_.is_drawn(node)) draw(i);
          break;
      }
    }
  }

  void bind_all(size_t node, const Tensors& values) {
    for (size_t k = 0; k < values.size() && k < compiled_.places_[node].size(); ++k)
      hold(compiled_.places_[node][k].slot, values[k]);
  }

  void draw(size_t i) {
    const Node& node = compiled_.graph_.nodes[i];
    std::vector<Tensor> operands;
    for (const Value& input : node.inputs) operands.push_back(tensor_of(input));
    std::vector<const Spec*> room;
    const auto op = node.op->drawn_again(specs_of(compiled_.graph_, node, room));
    bind_all(i, call_all(*op, operands));
  }

  /// A variable whose elements somebody else holds gets its own before it is written.
  void bind_variables_to_write() {
    for (const auto& [variable, value] : compiled_.graph_.updates) {
      if (!compiled_.in_place_[value.node]) continue;
      Tensor& storage = variable.storage();
      if (!storage.unique() || !storage.device().is_cpu()) {
        Tensor copy = Tensor::uninitialized(storage.spec());
        const Tensor here = moved(storage, kCPU);
        backend_of(kCPU).copy(copy.mutable_data(), here.data(), static_cast<size_t>(copy.bytes()));
        storage = copy;
      }
      slots_[static_cast<size_t>(compiled_.place(value).slot)] = storage.mutable_data();
    }
  }

  /// A value that has a slot of its own.
  Tensor tensor_of(const Value& value) {
    const Value root = compiled_.root_of(value);
    require<UnimplementedError>(compiled_.place(root).slot > 0,
                                "function: random_shuffle can only shuffle what the function is "
                                "given.");
    const Tensor& tensor = values_[static_cast<size_t>(compiled_.place(root).slot)];
    const Shape& shape = compiled_.graph_.spec(value).shape;
    return tensor.shape() == shape ? tensor : tensor.reshaped(shape);
  }

  Compiled& compiled_;
  std::unique_lock<std::mutex> lock_;
  void* own_arena_ = nullptr;
  std::vector<void*> slots_;
  std::vector<Tensor> values_;
};

std::vector<Tensor> Compiled::run(std::span<const Tensor> inputs) { return Run(*this)(inputs); }

}  // namespace alula::graph
