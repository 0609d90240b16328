#pragma once
#include "alula/data/stage.h"

/// What steps with one input have in common.
namespace alula::data {

/// A walk through the elements of one input. It saves what it knows itself, then where its input
/// is.
class InputWalk : public Walk {
 public:
  void save(StateWriter& state) final {
    save_own(state);
    input_->save(state);
  }
  void restore(StateReader& state) final {
    restore_own(state);
    input_->restore(state);
  }

 protected:
  InputWalk(const Stage& stage, WalkRef input) : Walk(stage), input_(std::move(input)) {}
  virtual void save_own(StateWriter& /*state*/) {}
  virtual void restore_own(StateReader& /*state*/) {}

  WalkRef input_;
};

/// A step that only chooses or orders elements, whatever they are; `Step` is its class.
template <class Step>
class ChoosingStage : public SameSpecStage {
 public:
  using SameSpecStage::SameSpecStage;
  StageRef onto(const StageRef& input) const final {
    auto copy = std::make_shared<Step>(static_cast<const Step&>(*this));
    copy->put_onto(input, input->spec());
    return copy;
  }
};

}  // namespace alula::data
