#include <numeric>

#include "alula/data/counted_input.h"
#include "alula/data/dataset.h"

namespace alula::data {
namespace {

/// An element that fails has its number too: those behind it keep theirs.
class EnumerateWalk final : public Walk {
 public:
  EnumerateWalk(const Stage& stage, const Context& context, int64_t start)
      : Walk(stage), input_(stage.input(), context), start_(start) {}

  bool next(Row& row) override {
    const int64_t number = start_ + input_.position();
    if (!input_.next(row)) return false;
    row.insert(row.begin(), Tensor(number));
    return true;
  }
  int64_t next_block(int64_t count, Row& block) override {
    const int64_t first = start_ + input_.position(), given = input_.next_block(count, block);
    Tensor numbers = Tensor::uninitialized({int64, {given}});
    std::iota(static_cast<int64_t*>(numbers.mutable_data()),
              static_cast<int64_t*>(numbers.mutable_data()) + given, first);
    block.insert(block.begin(), numbers);
    return given;
  }
  int64_t skip(int64_t count) override { return input_.skip(count); }
  void save(StateWriter& state) override { input_.save(state); }
  void restore(StateReader& state) override { input_.restore(state); }

 private:
  CountedInput input_;
  int64_t start_;
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
    return std::make_unique<EnumerateWalk>(*this, context, start_);
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
