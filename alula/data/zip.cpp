#include <algorithm>

#include "alula/data/blocks.h"
#include "alula/data/dataset.h"

namespace alula::data {
namespace {

/// What fails in one input is taken of all of them, so that what follows still belongs together.
/// Where one ends, nobody asks for what the others have, be it an error.
class ZipWalk final : public Walk {
 public:
  ZipWalk(const Stage& stage, const Context& context, bool in_blocks)
      : Walk(stage), in_blocks_(in_blocks) {
    for (size_t i = 0; i < stage.inputs().size(); ++i)
      inputs_.push_back(stage.input(i).walk(context.nested(i)));
  }

  bool next(Row& row) override {
    row.clear();
    std::exception_ptr error;
    for (size_t i = 0; i < inputs_.size() && !ended_; ++i)
      guarded(error, [&] {
        Row part;
        ended_ = !inputs_[i]->next(part);
        row.insert(row.end(), part.begin(), part.end());
      });
    if (!ended_ && error != nullptr) std::rethrow_exception(error);
    return !ended_;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    if (!in_blocks_) return Walk::next_block(count, block, error);
    std::vector<Row> parts;
    std::exception_ptr failed;
    int64_t least = ended_ ? 0 : count;
    for (size_t i = 0; i < inputs_.size() && least > 0; ++i)
      least = inputs_[i]->next_block(least, parts.emplace_back(), failed);
    ended_ = least < count;
    block.clear();
    if (least == 0) return 0;
    if (error == nullptr) error = failed;
    for (size_t i = 0; i < parts.size() && error == nullptr; ++i) {
      const Row part = first_rows(parts[i], least);
      block.insert(block.end(), part.begin(), part.end());
    }
    return least;
  }
  void save(StateWriter& state) override {
    state.number(ended_ ? 1 : 0);
    for (const WalkRef& input : inputs_) input->save(state);
  }
  void restore(StateReader& state) override {
    ended_ = state.number() != 0;
    for (const WalkRef& input : inputs_) input->restore(state);
  }

 private:
  static Row first_rows(const Row& block, int64_t count) {
    return block.empty() || block[0].shape()[0] == count ? block : rows_of(block, 0, count);
  }

  std::vector<WalkRef> inputs_;
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
