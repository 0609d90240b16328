#include <limits>

#include "alula/data/chain.h"
#include "alula/data/dataset.h"
#include "alula/data/one_input.h"

namespace alula::data {
namespace {

constexpr int64_t kForEver = -1;

class RepeatWalk final : public Walk {
 public:
  RepeatWalk(const Stage& stage, int64_t count, const Context& context)
      : Walk(stage), count_(count), context_(context) {}

  bool next(Row& row) override {
    while (begin_epoch()) {
      if (input_->next(row)) return !(empty_ = false);
      if (!end_epoch()) return false;
    }
    return false;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    return chained_block(
        stage(), count, block, error,
        [&](int64_t wanted, Row& part) -> int64_t {
          if (!begin_epoch()) return 0;
          const int64_t given = input_->next_block(wanted, part, error);
          if (given > 0) empty_ = false;
          return given;
        },
        [&] { return end_epoch() && begin_epoch(); });
  }
  void save(StateWriter& state) override {
    state.number(epoch_);
    state.number(empty_ ? 1 : 0);
    state.number(input_ != nullptr ? 1 : 0);
    if (input_ != nullptr) input_->save(state);
  }
  void restore(StateReader& state) override {
    epoch_ = state.count();
    empty_ = state.number() != 0;
    if (state.number() == 0) return;
    begin_epoch();
    if (input_ != nullptr) input_->restore(state);
  }

 private:
  /// Whether there is an epoch to read from.
  bool begin_epoch() {
    if (input_ != nullptr) return true;
    if (count_ != kForEver && epoch_ >= count_) return false;
    input_ = stage().input().walk(context_.nested(static_cast<uint64_t>(epoch_)));
    return true;
  }
  /// Whether another one can follow: repeating nothing gives nothing.
  bool end_epoch() {
    input_.reset();
    ++epoch_;
    if (empty_) epoch_ = std::numeric_limits<int64_t>::max();
    return !std::exchange(empty_, true);
  }

  int64_t count_;
  Context context_;
  int64_t epoch_ = 0;
  bool empty_ = true;  // nothing has come in this epoch yet
  WalkRef input_;
};

class Repeated final : public ChoosingStage<Repeated> {
 public:
  Repeated(const StageRef& input, int64_t count) : ChoosingStage("repeat", input), count_(count) {}
  int64_t cardinality() const override {
    const int64_t each = input().cardinality();
    if (count_ == 0 || each == 0) return 0;
    if (each < 0) return each;
    int64_t all = 0;
    if (count_ == kForEver || __builtin_mul_overflow(each, count_, &all))
      return kInfiniteCardinality;
    return all;
  }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<RepeatWalk>(*this, count_, context);
  }
  std::string parameters() const override {
    return count_ == kForEver ? "()" : fmt::format("({})", count_);
  }
  int64_t input_block(int64_t block) const override { return block; }

 private:
  int64_t count_;
};

}  // namespace

Dataset Dataset::repeat(int64_t count) const {
  require(count >= kForEver, "repeat: the number must not be negative, or -1 for ever. Got {}.",
          count);
  return then(std::make_shared<Repeated>(stage_, count));
}

}  // namespace alula::data
