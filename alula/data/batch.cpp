#include "alula/data/dataset.h"

namespace alula::data {
namespace {

class BatchWalk final : public Walk {
 public:
  BatchWalk(const Stage& stage, WalkRef input, int64_t size, bool drop_remainder)
      : Walk(stage), input_(std::move(input)), size_(size), drop_remainder_(drop_remainder) {}

  bool next(Row& row) override {
    const int64_t count = input_->next_block(size_, row);
    return count == size_ || (count > 0 && !drop_remainder_);
  }
  void save(StateWriter& state) override { input_->save(state); }
  void restore(StateReader& state) override { input_->restore(state); }

 private:
  WalkRef input_;
  int64_t size_;
  bool drop_remainder_;
};

/// Batches have one size if the last one is left out, or is whole.
ElementSpec batched(const Stage& input, int64_t size, bool drop_remainder) {
  const int64_t count = input.cardinality();
  const bool whole =
      drop_remainder || count == kInfiniteCardinality || (count > 0 && count % size == 0);
  ElementSpec spec = input.spec();
  for (Spec& each : spec.specs) each.shape = Shape{whole ? size : kUnknown} + each.shape;
  return spec;
}

class Batched final : public Stage {
 public:
  Batched(const StageRef& input, int64_t size, bool drop_remainder)
      : Stage("batch", batched(*input, size, drop_remainder), {input}),
        size_(size),
        drop_remainder_(drop_remainder) {}

  int64_t cardinality() const override {
    const int64_t count = input().cardinality();
    if (count < 0) return count;
    return count / size_ + (drop_remainder_ || count % size_ == 0 ? 0 : 1);
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
