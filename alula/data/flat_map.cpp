#include "alula/data/chain.h"
#include "alula/data/inner.h"

namespace alula::data {
namespace {

class FlatMapWalk final : public Walk {
 public:
  FlatMapWalk(const Stage& stage, const InnerDatasets& datasets, const Context& context)
      : Walk(stage),
        datasets_(datasets),
        context_(stage.own(context)),
        input_(stage.input().walk(context.with_block(1))) {}

  bool next(Row& row) override {
    while (open()) {
      if (inner_->next(row)) return true;
      inner_.reset();
    }
    return false;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    return chained_block(
        stage(), count, block, error,
        [&](int64_t wanted, Row& part) {
          return open() ? inner_->next_block(wanted, part, error) : 0;
        },
        [&] {
          inner_.reset();
          return open();
        });
  }
  void save(StateWriter& state) override {
    state.number(index_);
    input_->save(state);
    state.number(inner_ != nullptr ? 1 : 0);
    if (inner_ == nullptr) return;
    state.tensors(inner_->element());
    inner_->walk().save(state);
  }
  void restore(StateReader& state) override {
    index_ = state.count();
    input_->restore(state);
    if (state.number() == 0) return;
    begin(read_row(state, stage().input().spec()), index_ - 1);
    inner_->walk().restore(state);
  }

 private:
  /// Whether there is a data set to read from.
  bool open() {
    Row element;
    if (inner_ == nullptr && input_->next(element)) begin(std::move(element), index_++);
    return inner_ != nullptr;
  }
  void begin(Row element, int64_t index) {
    inner_ = std::make_unique<InnerWalk>(stage(), datasets_, std::move(element), index, context_);
  }

  const InnerDatasets& datasets_;
  Context context_;
  WalkRef input_;
  int64_t index_ = 0;  // of the next element
  std::unique_ptr<InnerWalk> inner_;
};

class FlatMapped final : public Stage {
 public:
  FlatMapped(const StageRef& input, std::unique_ptr<const InnerDatasets> datasets)
      : Stage("flat_map", datasets->spec(), {input}), datasets_(std::move(datasets)) {}

  int64_t cardinality() const override {
    return input().cardinality() == 0 ? 0 : kUnknownCardinality;
  }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<FlatMapWalk>(*this, *datasets_, context);
  }

 private:
  std::unique_ptr<const InnerDatasets> datasets_;
};

}  // namespace

Dataset Dataset::flat_map_with(const DatasetFunction& function) const {
  return then(std::make_shared<FlatMapped>(
      stage_, std::make_unique<InnerDatasets>("flat_map", function, *stage_)));
}

}  // namespace alula::data
