#include "alula/data/batches.h"
#include "alula/data/blocks.h"
#include "alula/data/dataset.h"
#include "alula/data/one_input.h"

namespace alula::data {
namespace {

class BatchWalk final : public InputWalk {
 public:
  BatchWalk(const Stage& stage, WalkRef input, const Batches& batches)
      : InputWalk(stage, std::move(input)), batches_(batches) {}

  bool next(Row& batch) override {
    return batches_.gives(input_->take_block(batches_.size, batch));
  }

 private:
  Batches batches_;
};

/// Of elements whose shapes are not known: what cannot be stacked is named.
class UnevenBatchWalk final : public InputWalk {
 public:
  UnevenBatchWalk(const Stage& stage, WalkRef input, const Batches& batches)
      : InputWalk(stage, std::move(input)), batches_(batches) {}

  bool next(Row& batch) override {
    Stack stack(stage(), batches_.size, at_);
    std::exception_ptr error;
    const int64_t count = stack_singly(*input_, batches_.size, stack, error);
    at_ += count;
    if (error != nullptr) std::rethrow_exception(error);
    batch = stack.take();
    return batches_.gives(count);
  }

 private:
  void save_own(StateWriter& state) override { state.number(at_); }
  void restore_own(StateReader& state) override { at_ = state.count(); }

  Batches batches_;
  int64_t at_ = 0;  // the number of the next element
};

ElementSpec batched(const Stage& input, const Batches& batches) {
  ElementSpec spec = input.spec();
  for (Spec& each : spec.specs)
    each.shape = Shape{batches.dimension(input.cardinality())} + each.shape;
  return spec;
}

class Batched final : public Stage {
 public:
  Batched(const StageRef& input, const Batches& batches)
      : Stage("batch", batched(*input, batches), {input}), batches_(batches) {}

  int64_t cardinality() const override { return batches_.of(input().cardinality()); }
  WalkRef walk(const Context& context) const override {
    const int64_t block = input_block(context.block);
    WalkRef walk = input().walk(context.with_block(block));
    if (!has_known_shapes(input().spec()))
      return std::make_unique<UnevenBatchWalk>(*this, std::move(walk), batches_);
    return std::make_unique<BatchWalk>(*this, std::move(walk), batches_);
  }
  std::string parameters() const override { return fmt::format("({})", batches_.size); }
  int64_t input_block(int64_t) const override {
    return has_known_shapes(input().spec()) ? batches_.size : 1;
  }

  StageRef onto(const StageRef& input) const override {
    return std::make_shared<Batched>(input, batches_);
  }

 private:
  Batches batches_;
};

}  // namespace

Dataset Dataset::batch(int64_t size, const BatchOptions& options) const {
  require(size > 0, "batch: the size must be positive. Got {}.", size);
  return then(std::make_shared<Batched>(stage_, Batches{size, options.drop_remainder}));
}

}  // namespace alula::data
