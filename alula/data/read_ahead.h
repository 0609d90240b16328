#pragma once
#include "alula/data/runner.h"

namespace alula::data {

/// A thread reads the input ahead of the reader, and does some work on each element, if there is
/// any. What was restored has it done by the reader: work that was done changes nothing.
class ReadAheadWalk final : public Walk {
 public:
  using Work = std::function<void(Row&)>;

  ReadAheadWalk(const Stage& stage, const Tuner::Plan& plan, const Context& context, Notes& notes,
                Work work = nullptr)
      : Walk(stage), work_(std::move(work)), runner_(plan, context, notes) {
    input_ = stage.input().walk(runner_.input_context().with_block(1));
    runner_.begin([this](Runner::Item& item) { return input_->next(item.row); },
                  [this](Runner::Item& item) { do_work(item.row); });
  }

  bool next(Row& row) override {
    Runner::Item item;
    if (!runner_.next(item)) return false;
    do_work(item.row);
    row = std::move(item.row);
    return true;
  }
  void save(StateWriter& state) override {
    runner_.save(state, [&] { input_->save(state); });
  }
  void restore(StateReader& state) override {
    runner_.restore(state, stage().spec(), [&] { input_->restore(state); });
  }

 private:
  void do_work(Row& row) const {
    if (work_) work_(row);
  }

  Work work_;
  WalkRef input_;
  Runner runner_;  // goes first: its thread uses the others
};

}  // namespace alula::data
