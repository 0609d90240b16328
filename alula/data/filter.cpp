#include "alula/data/blocks.h"
#include "alula/data/calls.h"
#include "alula/data/dataset.h"
#include "alula/data/kept.h"
#include "alula/data/one_input.h"

namespace alula::data {
namespace {

/// Where the reader takes blocks, the predicate is asked for whole blocks, and what was read too
/// far waits for the next call.
class FilterWalk final : public InputWalk {
 public:
  FilterWalk(const Stage& stage, const Traced& predicate, int64_t block, const Context& context)
      : InputWalk(stage, stage.input().walk(context.with_block(block))),
        calls_(stage, predicate, stage.own(context)),
        block_(block) {}

  bool next(Row& row) override {
    if (block_ > 1 || kept_.left() > 0) {
      if (!read()) return false;
      row = kept_.take_one();
      return true;
    }
    for (;;) {
      const int64_t index = index_++;
      if (!input_->next(row)) return false;
      if (passes(row, index)) return true;
    }
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    if (block_ == 1) return Walk::next_block(count, block, error);
    Stack stack(stage(), count);
    block.clear();
    const int64_t taken = fill_block(count, error, [&](int64_t before) -> int64_t {
      if (!read()) return 0;
      if (before == 0 && kept_.take_whole(count, block)) return count;
      return kept_.take(count - before, stack);
    });
    if (stack.size() > 0) block = stack.take();
    return taken;
  }

 private:
  void save_own(StateWriter& state) override {
    state.number(index_);
    kept_.save(stage(), state);
  }
  void restore_own(StateReader& state) override {
    index_ = state.count();
    kept_.restore(stage(), state);
  }
  bool passes(const Row& row, int64_t index) const {
    Row result = row;
    calls_.run(result, index);
    return result[0].item<bool>();
  }
  /// Reads blocks until an element has passed; false at the end.
  bool read() {
    while (kept_.left() == 0) {
      Row block;
      std::exception_ptr error;
      const int64_t given = input_->next_block(block_, block, error);
      const int64_t first = std::exchange(index_, index_ + given);
      if (error != nullptr) std::rethrow_exception(error);
      if (given == 0) return false;
      Row results = block;
      calls_.run_block(results, given, first);
      const Tensor answers = results[0].cpu();
      std::vector<int64_t> rows;
      for (int64_t i = 0; i < given; ++i)
        if (answers.span<bool>()[static_cast<size_t>(i)]) rows.push_back(i);
      kept_.set(std::move(block), given, std::move(rows));
    }
    return true;
  }

  Calls calls_;
  int64_t block_;
  int64_t index_ = 0;
  Kept kept_;
};

class Filtered final : public SameSpecStage {
 public:
  Filtered(const StageRef& input, std::shared_ptr<const Traced> predicate)
      : SameSpecStage("filter", input), predicate_(std::move(predicate)) {}

  int64_t cardinality() const override {
    return input().cardinality() == 0 ? 0 : kUnknownCardinality;
  }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<FilterWalk>(*this, *predicate_, input_block(context.block), context);
  }
  std::string details(int64_t block) const override {
    if (!predicate_->vectorizes())
      return fmt::format(": one call an element ({})", predicate_->why_not());
    return input_block(block) > 1 ? fmt::format(": one call for {} elements", block)
                                  : ": one call an element";
  }
  int64_t input_block(int64_t block) const override {
    return predicate_->vectorizes() && has_known_shapes(spec()) ? block : 1;
  }

 private:
  std::shared_ptr<const Traced> predicate_;
};

}  // namespace

Dataset Dataset::filter_traced(const ElementFunction& predicate) const {
  auto traced = std::make_shared<const Traced>("filter", predicate, element_spec());
  const ElementSpec& result = traced->output();
  require(result.structure.kind == Structure::Kind::kTensor && result.specs[0] == Spec{boolean, {}},
          "filter: the function must give one truth value, bool[]. Got {}.", result);
  return then(std::make_shared<Filtered>(stage_, std::move(traced)));
}

}  // namespace alula::data
