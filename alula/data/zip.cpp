#include <algorithm>
#include <deque>

#include "alula/data/counted_input.h"
#include "alula/data/dataset.h"

namespace alula::data {
namespace {

/// What fails in one input is passed over in all of them, so that what follows still belongs
/// together.
class ZipWalk final : public Walk {
 public:
  ZipWalk(const Stage& stage, const Context& context, bool in_blocks)
      : Walk(stage), in_blocks_(in_blocks) {
    for (size_t i = 0; i < stage.inputs().size(); ++i)
      inputs_.emplace_back(stage.input(i), context.nested(i));
  }

  bool next(Row& row) override {
    row.clear();
    return read(1, [&](CountedInput& input, int64_t) -> int64_t {
             Row part;
             if (!input.next(part)) return 0;
             row.insert(row.end(), part.begin(), part.end());
             return 1;
           }) > 0;
  }
  int64_t next_block(int64_t count, Row& block) override {
    if (!in_blocks_) return Walk::next_block(count, block);
    std::vector<Row> parts;
    const int64_t least = read(count, [&](CountedInput& input, int64_t wanted) {
      return input.next_block(wanted, parts.emplace_back());
    });
    block.clear();
    if (least == 0) return 0;
    for (const Row& whole : parts) {
      const Row part =
          whole.empty() || whole[0].shape()[0] == least ? whole : rows_of(whole, 0, least);
      block.insert(block.end(), part.begin(), part.end());
    }
    return least;
  }
  int64_t skip(int64_t count) override {
    return read(count, [](CountedInput& input, int64_t wanted) { return input.skip(wanted); });
  }
  void save(StateWriter& state) override {
    state.number(ended_ ? 1 : 0);
    for (CountedInput& input : inputs_) input.save(state);
  }
  void restore(StateReader& state) override {
    ended_ = state.number() != 0;
    for (CountedInput& input : inputs_) input.restore(state);
  }

 private:
  /// Takes so many elements of each input; how many all of them have. Where one ends, nobody asks
  /// for what the others have, be it an error.
  template <class F>
  int64_t read(int64_t count, const F& take) {
    if (ended_) return 0;
    std::exception_ptr error;
    int64_t least = count;
    for (size_t i = 0; i < inputs_.size() && least > 0; ++i) {
      try {
        least = take(inputs_[i], least);
      } catch (...) {
        if (error == nullptr) error = std::current_exception();
      }
    }
    ended_ = least < count;
    if (least == 0 || error == nullptr) return least;
    int64_t furthest = 0;
    for (const CountedInput& input : inputs_) furthest = std::max(furthest, input.position());
    for (CountedInput& input : inputs_) input.go_to(furthest);
    std::rethrow_exception(error);
  }

  std::deque<CountedInput> inputs_;
  bool in_blocks_;
  bool ended_ = false;
};

ElementSpec zipped(const std::vector<StageRef>& inputs) {
  ElementSpec spec{{.kind = Structure::Kind::kTuple}, {}};
  for (const StageRef& input : inputs) {
    const ElementSpec& each = input->spec();
    spec.structure.items.push_back(each.structure);
    spec.specs.insert(spec.specs.end(), each.specs.begin(), each.specs.end());
  }
  return spec;
}

class Zipped final : public Stage {
 public:
  explicit Zipped(const std::vector<StageRef>& inputs) : Stage("zip", zipped(inputs), inputs) {}

  /// That of the shortest.
  int64_t cardinality() const override {
    int64_t least = kInfiniteCardinality;
    bool unknown = false;
    for (const StageRef& each : inputs()) {
      const int64_t count = each->cardinality();
      if (count == 0) return 0;
      unknown = unknown || count == kUnknownCardinality;
      if (count >= 0) least = least < 0 ? count : std::min(least, count);
    }
    return unknown ? kUnknownCardinality : least;
  }
  WalkRef walk(const Context& context) const override {
    const int64_t block = input_block(context.block);
    return std::make_unique<ZipWalk>(*this, context.with_block(block), block > 1);
  }
  /// What is too much of the longer ones must not fail to be stacked.
  int64_t input_block(int64_t block) const override { return has_known_shapes(spec()) ? block : 1; }
};

}  // namespace

Dataset Dataset::zip(const std::vector<Dataset>& datasets) {
  require(!datasets.empty(), "zip: there is no data set.");
  std::vector<StageRef> inputs;
  for (const Dataset& each : datasets) inputs.push_back(each.stage());
  return datasets[0].then(std::make_shared<Zipped>(inputs));
}

}  // namespace alula::data
