#include "alula/data/batches.h"
#include "alula/data/dataset.h"

namespace alula::data {
namespace {

class BatchWalk final : public Walk {
 public:
  BatchWalk(const Stage& stage, WalkRef input, int64_t size, bool drop_remainder)
      : Walk(stage), input_(std::move(input)), size_(size), drop_remainder_(drop_remainder) {}

  bool next(Row& row) override {
    const int64_t count = input_->take_block(size_, row);
    return count == size_ || (count > 0 && !drop_remainder_);
  }
  void save(StateWriter& state) override { input_->save(state); }
  void restore(StateReader& state) override { input_->restore(state); }

 private:
  WalkRef input_;
  int64_t size_;
  bool drop_remainder_;
};

ElementSpec batched(const Stage& input, const Batches& batches) {
  ElementSpec spec = input.spec();
  for (Spec& each : spec.specs)
    each.shape = Shape{batches.dimension(input.cardinality())} + each.shape;
  return spec;
}

class Batched final : public Stage {
 public:
  Batched(const StageRef& input, int64_t size, bool drop_remainder)
      : Stage("batch", batched(*input, {size, drop_remainder}), {input}),
        size_(size),
        drop_remainder_(drop_remainder) {}

  int64_t cardinality() const override {
    return Batches{size_, drop_remainder_}.of(input().cardinality());
  }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<BatchWalk>(*this, input().walk(context.with_block(size_)), size_,
                                       drop_remainder_);
  }
  std::string parameters() const override { return fmt::format("({})", size_); }
  int64_t input_block(int64_t) const override { return size_; }

 private:
  int64_t size_;
  bool drop_remainder_;
};

}  // namespace

Dataset Dataset::batch(int64_t size, const BatchOptions& options) const {
  require(size > 0, "batch: the size must be positive. Got {}.", size);
  return then(std::make_shared<Batched>(stage_, size, options.drop_remainder));
}

}  // namespace alula::data
