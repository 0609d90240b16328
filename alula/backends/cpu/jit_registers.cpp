#include "alula/backends/cpu/jit_registers.h"

#include <algorithm>

namespace alula::cpu::jit {

Allocation::Allocation(const Nodes& nodes, std::span<const Id> sequence, int copies,
                       const Registers& free, std::span<const Place> known, int first_slot)
    : nodes_(nodes),
      known_(known),
      copies_(copies),
      places_(nodes.all().size() * static_cast<size_t>(copies)),
      slots_(first_slot) {
  scan(sequence, free);
}

void Allocation::scan(std::span<const Id> sequence, Registers free) {
  std::vector<int> last_use(nodes_.all().size(), -1);
  for (size_t i = 0; i < sequence.size(); ++i)
    for (Id operand : nodes_[sequence[i]].operands)
      if (operand != kNone) last_use[operand] = static_cast<int>(i);

  for (size_t i = 0; i < sequence.size(); ++i) {
    const Id id = sequence[i];
    const Node& node = nodes_[id];
    for (int copy = 0; copy < copies_; ++copy) {
      // The result may take the register of an operand that ends here.
      for (int k = 0; k < 3; ++k) {
        const Id operand = node.operands[k];
        if (operand == kNone || last_use[operand] != static_cast<int>(i)) continue;
        if (std::find(node.operands.begin(), node.operands.begin() + k, operand) ==
            node.operands.begin() + k)
          release(operand, copy, free);
      }
      if (node.op == Op::kStore || node.op == Op::kCheck) continue;
      if (known_[id].kind != Place::Kind::kNowhere) continue;
      const bool truth = node.lane == Lane::kTruth && nodes_.target() == Target::kAVX512;
      define(id, copy, last_use[id], truth ? free.truths : free.words, truth ? truths_ : words_);
    }
  }
}

void Allocation::define(Id id, int copy, int until, std::vector<int16_t>& free,
                        std::vector<Active>& active) {
  Place& place = places_[id * copies_ + copy];
  if (!free.empty()) {
    place = {Place::Kind::kRegister, free.back()};
    free.pop_back();
    active.push_back({id, copy, until});
    return;
  }
  spills_ = true;
  const auto furthest =
      std::max_element(active.begin(), active.end(),
                       [](const Active& a, const Active& b) { return a.until < b.until; });
  if (furthest == active.end() || furthest->until <= until) {
    place = {Place::Kind::kStack, static_cast<int16_t>(slots_++)};
    return;
  }
  Place& other = places_[furthest->id * copies_ + furthest->copy];
  place = other;
  other = {Place::Kind::kStack, static_cast<int16_t>(slots_++)};
  *furthest = {id, copy, until};
}

void Allocation::release(Id id, int copy, Registers& free) {
  const Place place = places_[id * copies_ + copy];
  if (known_[id].kind != Place::Kind::kNowhere || !place.is_register()) return;
  const bool truth = nodes_[id].lane == Lane::kTruth && nodes_.target() == Target::kAVX512;
  (truth ? free.truths : free.words).push_back(place.index);
  std::erase_if(truth ? truths_ : words_,
                [&](const Active& a) { return a.id == id && a.copy == copy; });
}

namespace {

/// Without those kept back: three of words, two of truths, and AVX-512's mask of the last vector.
Registers all_registers(Target target) {
  Registers registers;
  const int16_t words = target == Target::kAVX512 ? 29 : 13;
  for (int16_t i = words; i-- > 0;) registers.words.push_back(i);
  for (int16_t i = 5; i-- > 1;) registers.truths.push_back(i);
  return registers;
}

/// Keeps what is the same in every step in registers, as long as these are not too many.
void place_kept(const Nodes& nodes, const std::vector<bool>& kept, Registers& free, Plan& plan) {
  const bool masks = nodes.target() == Target::kAVX512;
  int words = masks ? 10 : 4, truths = 2;
  for (Id id : plan.before) {
    if (!kept[id]) continue;
    const bool truth = masks && nodes[id].lane == Lane::kTruth;
    int& left = truth ? truths : words;
    std::vector<int16_t>& registers = truth ? free.truths : free.words;
    if (left > 0) {
      --left;
      plan.known[id] = {Place::Kind::kRegister, registers.back()};
      registers.pop_back();
    } else {
      plan.known[id] = {Place::Kind::kStack, static_cast<int16_t>(plan.slots++)};
    }
  }
}

}  // namespace

Plan make_plan(const Nodes& nodes) {
  Plan plan;
  const size_t count = nodes.all().size();
  plan.known.resize(count);
  for (size_t i = 0; i < nodes.constants().size(); ++i)
    plan.known[nodes.constants()[i]] = {Place::Kind::kPool, static_cast<int16_t>(i)};
  std::vector<bool> kept(count, false);
  for (size_t i = 0; i < count; ++i) {
    const Node& node = nodes.all()[i];
    if (!node.live || node.op == Op::kConstant) continue;
    (node.uniform ? plan.before : plan.each).push_back(static_cast<Id>(i));
    if (node.uniform) continue;
    for (Id operand : node.operands)
      if (operand != kNone && nodes[operand].uniform) kept[operand] = true;
  }
  Registers free = all_registers(nodes.target());
  place_kept(nodes, kept, free, plan);

  const auto allocate = [&](const std::vector<Id>& sequence, int copies) {
    return std::make_unique<Allocation>(nodes, sequence, copies, free, plan.known, plan.slots);
  };
  plan.prologue = allocate(plan.before, 1);
  plan.one = allocate(plan.each, 1);
  // Side by side, the steps of one vector fill the time that those of another wait.
  const size_t length = plan.each.size();
  for (int copies = length <= 16 ? 4 : length <= 200 ? 2 : 1; copies > 1; copies /= 2) {
    plan.many = allocate(plan.each, copies);
    if (!plan.many->spills()) break;
    plan.many = nullptr;
  }
  if (plan.many == nullptr) plan.many = allocate(plan.each, 1);
  plan.slots = std::max({plan.prologue->slots(), plan.one->slots(), plan.many->slots()});
  return plan;
}

}  // namespace alula::cpu::jit
