#include <numeric>

#include "alula/data/dataset.h"
#include "alula/data/one_input.h"

namespace alula::data {
namespace {

/// An element that fails has its number too: those behind it keep theirs.
class EnumerateWalk final : public InputWalk {
 public:
  EnumerateWalk(const Stage& stage, WalkRef input, int64_t start)
      : InputWalk(stage, std::move(input)), number_(start) {}

  bool next(Row& row) override {
    const int64_t number = number_++;
    if (!input_->next(row)) return false;
    row.insert(row.begin(), Tensor(number));
    return true;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    const int64_t taken = input_->next_block(count, block, error);
    Tensor numbers = Tensor::uninitialized({int64, {taken}});
    auto* to = static_cast<int64_t*>(numbers.mutable_data());
    std::iota(to, to + taken, number_);
    block.insert(block.begin(), numbers);
    number_ += taken;
    return taken;
  }

 private:
  void save_own(StateWriter& state) override { state.number(number_); }
  void restore_own(StateReader& state) override { number_ = state.number(); }

  int64_t number_;  // of the next element
};

ElementSpec enumerated(const ElementSpec& input) {
  ElementSpec spec{{.kind = Structure::Kind::kTuple, .items = {Structure{}, input.structure}},
                   {{int64, {}}}};
  spec.specs.insert(spec.specs.end(), input.specs.begin(), input.specs.end());
  return spec;
}

class Enumerated final : public Stage {
 public:
  Enumerated(const StageRef& input, int64_t start)
      : Stage("enumerate", enumerated(input->spec()), {input}), start_(start) {}
  int64_t cardinality() const override { return input().cardinality(); }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<EnumerateWalk>(*this, input().walk(context), start_);
  }
  int64_t input_block(int64_t block) const override { return block; }

 private:
  int64_t start_;
};

}  // namespace

Dataset Dataset::enumerate(int64_t start) const {
  return then(std::make_shared<Enumerated>(stage_, start));
}

}  // namespace alula::data
