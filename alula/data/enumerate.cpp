#include "alula/data/dataset.h"

namespace alula::data {
namespace {

class EnumerateWalk final : public Walk {
 public:
  EnumerateWalk(const Stage& stage, WalkRef input, int64_t start)
      : Walk(stage), input_(std::move(input)), at_(start) {}

  bool next(Row& row) override {
    if (!input_->next(row)) return false;
    row.insert(row.begin(), Tensor(at_++));
    return true;
  }
  int64_t next_block(int64_t count, Row& block) override {
    const int64_t given = input_->next_block(count, block);
    Tensor numbers = Tensor::uninitialized({int64, {given}});
    auto* to = static_cast<int64_t*>(numbers.mutable_data());
    for (int64_t i = 0; i < given; ++i) to[i] = at_++;
    block.insert(block.begin(), numbers);
    return given;
  }
  int64_t skip(int64_t count) override {
    const int64_t passed = input_->skip(count);
    at_ += passed;
    return passed;
  }
  void save(StateWriter& state) override {
    state.number(at_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    at_ = state.number();
    input_->restore(state);
  }

 private:
  WalkRef input_;
  int64_t at_;  // the number of the next element
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
