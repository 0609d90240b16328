#include "alula/data/late.h"

#include <algorithm>

#include "alula/data/one_input.h"

namespace alula::data {
namespace {

/// The number of an element, and the keys of its walk.
constexpr int64_t kNoteWords = 3;

struct Note {
  uint64_t first = 0;
  random::ElementScope::Keys keys = {};

  Note() = default;
  /// Of a batch's elements, which are in a row: that of the first one.
  explicit Note(const Tensor& tensor) {
    const auto words = tensor.span<int64_t>();
    first = static_cast<uint64_t>(words[0]);
    keys = {static_cast<uint64_t>(words[1]), static_cast<uint64_t>(words[2])};
  }
};

/// Adds the number of each element and the keys of the walk.
class NotingWalk final : public InputWalk {
 public:
  NotingWalk(const Stage& stage, const Context& context)
      : InputWalk(stage, stage.input().walk(context)), keys_(stage.own(context).keys) {}

  bool next(Row& row) override {
    const int64_t index = index_++;
    if (!input_->next(row)) return false;
    Tensor note = Tensor::uninitialized({int64, {kNoteWords}});
    write(index, static_cast<int64_t*>(note.mutable_data()));
    row.push_back(std::move(note));
    return true;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    const int64_t taken = input_->next_block(count, block, error);
    const int64_t first = std::exchange(index_, index_ + taken);
    if (taken == 0 || error != nullptr) return taken;
    Tensor notes = Tensor::uninitialized({int64, {taken, kNoteWords}});
    for (int64_t i = 0; i < taken; ++i)
      write(first + i, static_cast<int64_t*>(notes.mutable_data()) + i * kNoteWords);
    block.push_back(std::move(notes));
    return taken;
  }

 private:
  void save_own(StateWriter& state) override { state.number(index_); }
  void restore_own(StateReader& state) override { index_ = state.count(); }
  void write(int64_t index, int64_t* to) const {
    to[0] = index;
    to[1] = static_cast<int64_t>(keys_.unseeded);
    to[2] = static_cast<int64_t>(keys_.seeded);
  }

  random::ElementScope::Keys keys_;
  int64_t index_ = 0;
};

/// All that a pipeline of positions gives is one thing, for its reader: names keep it together.
ElementSpec with_note(const ElementSpec& positions) {
  ElementSpec spec{{.kind = Structure::Kind::kNamed}, positions.specs};
  spec.specs.push_back({int64, {kNoteWords}});
  for (size_t i = 0; i < spec.specs.size(); ++i) {
    spec.structure.items.emplace_back();
    spec.structure.names.push_back(std::to_string(i));
  }
  return spec;
}

class Noting final : public Stage {
 public:
  explicit Noting(const StageRef& input) : Stage("map", with_note(input->spec()), {input}) {}
  int64_t cardinality() const override { return input().cardinality(); }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<NotingWalk>(*this, context);
  }
  int64_t input_block(int64_t block) const override { return block; }
};

class StandIn final : public SameSpecStage {
 public:
  StandIn(const std::string& name, const StageRef& input) : SameSpecStage(name, input) {}
  int64_t cardinality() const override { return input().cardinality(); }
  WalkRef walk(const Context& context) const override { return input().walk(context); }
  int64_t input_block(int64_t block) const override { return block; }
  const Indexed* indexed() const override { return input().indexed(); }
};

}  // namespace

StageRef noting(const StageRef& positions) { return std::make_shared<Noting>(positions); }

StageRef standing_for(const Stage& step, const StageRef& positions) {
  return std::make_shared<StandIn>(step.name(), positions);
}

/// Its n-th call is for the n-th batch.
class LateDraws::Source final : public random::Source {
 public:
  Source(std::shared_ptr<const Expected> expected, size_t note, uint64_t call)
      : expected_(std::move(expected)), note_(note), call_(call) {}

  random::Stream next(random::Seed seed, uint64_t blocks) override {
    if (times_ != expected_->times) at_ = 0;
    times_ = expected_->times;
    require<InternalError>(at_ < expected_->picks.size(), "map: it draws for no batch.");
    const Tensor& tensor = expected_->picks[at_++][note_];
    const uint64_t elements = tensor.rank() == 1 ? 1 : static_cast<uint64_t>(tensor.shape()[0]);
    const Note note(tensor);
    return random::ElementScope::stream(note.keys, seed, call_, note.first * (blocks / elements));
  }

 private:
  std::shared_ptr<const Expected> expected_;
  size_t note_;
  uint64_t call_;
  uint64_t times_ = 0;
  size_t at_ = 0;
};

void LateDraws::expect(std::span<const Picks> picks) {
  expected_->picks.assign(picks.begin(), picks.end());
  ++expected_->times;
}

std::shared_ptr<random::Source> LateDraws::source(size_t note, uint64_t call) const {
  return std::make_shared<Source>(expected_, note, call);
}

bool LateMaps::operator==(const LateMaps& other) const {
  return std::equal(maps_.begin(), maps_.end(), other.maps_.begin(), other.maps_.end(),
                    [](const Map& a, const Map& b) {
                      return a.function == b.function && a.each == b.each && a.note == b.note;
                    });
}

Row LateMaps::variables() const {
  Row all;
  for (const Map& map : maps_)
    for (Tensor& value : map.function->variables()) all.push_back(std::move(value));
  return all;
}

size_t LateMaps::variable_count() const {
  size_t count = 0;
  for (const Map& map : maps_) count += map.function->variable_count();
  return count;
}

namespace {

/// The variables of one map, out of those of all.
Row take_variables(const Traced& function, const Row& all, size_t& used) {
  const size_t begin = std::exchange(used, used + function.variable_count());
  return {all.begin() + static_cast<ptrdiff_t>(begin), all.begin() + static_cast<ptrdiff_t>(used)};
}

}  // namespace

void LateMaps::apply(Row& batch, const Picks& picks, const Row& variables) const {
  size_t used = 0;
  for (const Map& map : maps_) {
    const Row own = take_variables(*map.function, variables, used);
    const Note note = map.note == 0 ? Note() : Note(picks[map.note]);
    const auto first = static_cast<int64_t>(note.first);
    try {
      if (map.each)
        map.function->run_block(batch, picks[0].shape()[0], own, note.keys, first);
      else
        map.function->run(batch, own, note.keys, first);
    } catch (...) {
      rethrow_from(map.title + ": ");
    }
  }
}

void LateMaps::apply_later(Row& batch, int64_t size, const Row& variables,
                           const LateDraws& draws) const {
  size_t used = 0;
  for (const Map& map : maps_) {
    const Row own = take_variables(*map.function, variables, used);
    batch = map.function->call_later(batch, {.stacked = map.each ? size : 0}, own,
                                     [&](uint64_t call) { return draws.source(map.note, call); });
  }
}

}  // namespace alula::data
