#include "alula/data/dataset.h"
#include "alula/data/one_input.h"
#include "alula/data/position.h"

namespace alula::data {
namespace {

class TakeWalk final : public InputWalk {
 public:
  TakeWalk(const Stage& stage, WalkRef input, int64_t count)
      : InputWalk(stage, std::move(input)), at_(count) {}

  bool next(Row& row) override {
    if (at_.left() == 0) return false;
    at_.take(1);
    return input_->next(row);
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    const int64_t most = std::min(count, at_.left());
    if (most == 0) return 0;
    at_.take(most);
    return input_->next_block(most, block, error);
  }

 private:
  void save_own(StateWriter& state) override { at_.save(state); }
  void restore_own(StateReader& state) override { at_.restore(state); }

  Position at_;
};

class Taken final : public ChoosingStage<Taken> {
 public:
  Taken(const StageRef& input, int64_t count) : ChoosingStage("take", input), count_(count) {}
  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    if (all == kUnknownCardinality) return count_ == 0 ? 0 : kUnknownCardinality;
    return all == kInfiniteCardinality ? count_ : std::min(count_, all);
  }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<TakeWalk>(*this, input().walk(context), count_);
  }
  std::string parameters() const override { return fmt::format("({})", count_); }
  int64_t input_block(int64_t block) const override { return block; }

 private:
  int64_t count_;
};

}  // namespace

Dataset Dataset::take(int64_t count) const {
  require(count >= -1, "take: the number must not be negative, or -1 for all. Got {}.", count);
  if (count == -1) return *this;
  return then(std::make_shared<Taken>(stage_, count));
}

}  // namespace alula::data
