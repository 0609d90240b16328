#include "alula/data/blocks.h"
#include "alula/data/dataset.h"
#include "alula/data/one_input.h"

namespace alula::data {
namespace {

class UnbatchWalk final : public InputWalk {
 public:
  UnbatchWalk(const Stage& stage, WalkRef input) : InputWalk(stage, std::move(input)) {}

  bool next(Row& row) override {
    if (!read()) return false;
    row = row_of(batch_, taken_++);
    return true;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    Stack stack(stage(), count);
    const int64_t taken = fill_block(count, error, [&](int64_t before) -> int64_t {
      if (!read()) return 0;
      const int64_t part = std::min(count - before, size_ - taken_);
      const int64_t begin = std::exchange(taken_, taken_ + part);
      stack.add(batch_, begin, begin + part);
      return part;
    });
    block = stack.take();
    return taken;
  }

 private:
  void save_own(StateWriter& state) override {
    state.number(batches_);
    state.tensors(taken_ < size_ ? rows_of(batch_, taken_, size_) : Row{});
  }
  void restore_own(StateReader& state) override {
    batches_ = state.count();
    batch_ = read_block(state, stage().spec(), size_);
    taken_ = 0;
  }
  /// Whether there is an element to be had.
  bool read() {
    while (taken_ == size_) {
      Row batch;
      if (!input_->next(batch)) return false;
      const int64_t index = batches_++;
      for (const Tensor& tensor : batch)
        require(tensor.shape()[0] == batch[0].shape()[0],
                "{}: element {}: the first dimensions differ: {} and {}.", stage().title(), index,
                batch[0].spec(), tensor.spec());
      taken_ = 0;
      size_ = batch[0].shape()[0];
      batch_ = std::move(batch);
    }
    return true;
  }

  Row batch_;
  int64_t taken_ = 0;
  int64_t size_ = 0;
  int64_t batches_ = 0;
};

ElementSpec unbatched(ElementSpec spec) {
  for (Spec& each : spec.specs) {
    require(each.rank() > 0, "unbatch: a scalar has no slices. Got {}.", spec);
    each.shape = each.shape.slice(1, each.rank());
  }
  return spec;
}

class Unbatched final : public Stage {
 public:
  explicit Unbatched(const StageRef& input) : Stage("unbatch", unbatched(input->spec()), {input}) {}
  int64_t cardinality() const override {
    const int64_t batches = input().cardinality(), each = input().spec().specs[0].shape[0];
    if (batches <= 0) return batches;
    int64_t all = 0;
    if (each == kUnknown || __builtin_mul_overflow(batches, each, &all)) return kUnknownCardinality;
    return all;
  }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<UnbatchWalk>(*this, input().walk(context.with_block(1)));
  }
};

}  // namespace

Dataset Dataset::unbatch() const { return then(std::make_shared<Unbatched>(stage_)); }

}  // namespace alula::data
