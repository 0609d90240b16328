#include "alula/data/chain.h"
#include "alula/data/dataset.h"
#include "alula/data/merge.h"

namespace alula::data {
namespace {

class ConcatenateWalk final : public Walk {
 public:
  ConcatenateWalk(const Stage& stage, const Context& context)
      : Walk(stage), context_(context), input_(open(0)) {}

  bool next(Row& row) override {
    while (!input_->next(row))
      if (!go_on()) return false;
    return true;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    return chained_block(
        stage(), count, block, error,
        [&](int64_t wanted, Row& part) { return input_->next_block(wanted, part, error); },
        [&] { return go_on(); });
  }
  int64_t skip(int64_t count) override {
    const int64_t passed = input_->skip(count);
    return passed == count || !go_on() ? passed : passed + input_->skip(count - passed);
  }
  void save(StateWriter& state) override {
    state.number(static_cast<int64_t>(which_));
    input_->save(state);
  }
  void restore(StateReader& state) override {
    if (state.count() > 0) go_on();
    input_->restore(state);
  }

 private:
  WalkRef open(size_t which) const { return stage().input(which).walk(context_.nested(which)); }
  /// Whether there is another one behind what has ended.
  bool go_on() {
    if (which_ + 1 == stage().inputs().size()) return false;
    input_.reset();
    input_ = open(++which_);
    return true;
  }

  Context context_;
  size_t which_ = 0;
  WalkRef input_;
};

class Concatenated final : public Stage {
 public:
  Concatenated(const StageRef& first, const StageRef& second)
      : Stage("concatenate", merged(first->spec(), second->spec()), {first, second}) {}

  int64_t cardinality() const override {
    const int64_t first = input(0).cardinality(), second = input(1).cardinality();
    if (first == kInfiniteCardinality || second == kInfiniteCardinality)
      return kInfiniteCardinality;
    if (first == kUnknownCardinality || second == kUnknownCardinality) return kUnknownCardinality;
    int64_t all = 0;
    return __builtin_add_overflow(first, second, &all) ? kInfiniteCardinality : all;
  }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<ConcatenateWalk>(*this, context);
  }
  int64_t input_block(int64_t block) const override { return block; }
};

}  // namespace

Dataset Dataset::concatenate(const Dataset& other) const {
  require(mergeable(element_spec(), other.element_spec()),
          "concatenate: the elements are of different kinds. Got {} and {}. Bring them to the same "
          "arrangement, dtypes and ranks with map.",
          element_spec(), other.element_spec());
  return then(std::make_shared<Concatenated>(stage_, other.stage_));
}

}  // namespace alula::data
