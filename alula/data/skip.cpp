#include "alula/data/blocks.h"
#include "alula/data/dataset.h"
#include "alula/data/one_input.h"

namespace alula::data {
namespace {

class SkipWalk final : public InputWalk {
 public:
  SkipWalk(const Stage& stage, WalkRef input, int64_t count)
      : InputWalk(stage, std::move(input)), left_(count) {}

  bool next(Row& row) override {
    pass();
    return input_->next(row);
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    int64_t failed = 0;
    while (failed < count && !guarded(error, [&] { pass(); })) ++failed;
    return failed + (failed < count ? input_->next_block(count - failed, block, error) : 0);
  }

 private:
  void save_own(StateWriter& state) override { state.number(left_); }
  void restore_own(StateReader& state) override { left_ = state.count(); }
  /// One by one where an element may fail: it counts, too.
  void pass() {
    if (stage().input().indexed() != nullptr) input_->skip(std::exchange(left_, 0));
    while (left_ > 0) {
      --left_;
      if (input_->skip(1) == 0) left_ = 0;
    }
  }

  int64_t left_;  // to be passed over
};

class Skipped final : public ChoosingStage<Skipped> {
 public:
  Skipped(const StageRef& input, int64_t count) : ChoosingStage("skip", input), count_(count) {}
  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    return all < 0 ? all : std::max<int64_t>(0, all - count_);
  }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<SkipWalk>(*this, input().walk(context), count_);
  }
  std::string parameters() const override { return fmt::format("({})", count_); }
  int64_t input_block(int64_t block) const override { return block; }

 private:
  int64_t count_;
};

}  // namespace

Dataset Dataset::skip(int64_t count) const {
  require(count >= -1, "skip: the number must not be negative, or -1 for all. Got {}.", count);
  if (count == -1) return take(0);
  return then(std::make_shared<Skipped>(stage_, count));
}

}  // namespace alula::data
