#include "alula/data/blocks.h"
#include "alula/data/calls.h"
#include "alula/data/dataset.h"
#include "alula/data/one_input.h"
#include "alula/data/runner.h"

namespace alula::data {
namespace {

/// In the reader's thread.
class MapWalk final : public InputWalk {
 public:
  MapWalk(const Stage& stage, const Traced& function, const Context& context)
      : InputWalk(stage, stage.input().walk(context)),
        calls_(stage, function, stage.own(context)),
        vectorizes_(function.vectorizes() && context.block > 1) {}

  bool next(Row& row) override {
    const int64_t index = index_++;
    if (!input_->next(row)) return false;
    calls_.run(row, index);
    return true;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    if (!vectorizes_ || count == 1) return Walk::next_block(count, block, error);
    const int64_t taken = input_->next_block(count, block, error);
    const int64_t first = std::exchange(index_, index_ + taken);
    if (taken > 0 && error == nullptr)
      guarded(error, [&] { calls_.run_block(block, taken, first); });
    return taken;
  }

 private:
  void save_own(StateWriter& state) override { state.number(index_); }
  void restore_own(StateReader& state) override { index_ = state.count(); }

  Calls calls_;
  bool vectorizes_;
  int64_t index_ = 0;  // of the next element, those that failed before it counted
};

/// In threads. The unit of work is a block, as large as the reader takes at a time; what it takes
/// otherwise is cut out of those.
class ParallelMapWalk final : public Walk {
 public:
  ParallelMapWalk(const Stage& stage, const Traced& function, const Tuner::Plan& plan,
                  const Context& context, Notes& notes)
      : Walk(stage),
        calls_(stage, function, stage.own(context)),
        block_(function.vectorizes() ? context.block : 1),
        runner_(plan, context, notes) {
    input_ = stage.input().walk(runner_.input_context().with_block(block_));
    runner_.begin([this](Runner::Item& item) { return pull(item); },
                  [this](Runner::Item& item) { work(item); });
  }

  bool next(Row& row) override {
    if (block_ == 1) {
      Runner::Item item;
      const bool more = runner_.next(item);
      row = std::move(item.row);
      return more;
    }
    if (left() == 0 && !read()) return false;
    const int64_t i = taken_++;
    if (current_.error != nullptr) std::rethrow_exception(current_.error);
    row = row_of(current_.row, i);
    return true;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    if (block_ == 1) return Walk::next_block(count, block, error);
    Stack stack(stage(), count);
    block.clear();
    const int64_t taken = fill_block(count, error, [&](int64_t before) -> int64_t {
      if (left() == 0 && !read()) return 0;
      const int64_t part = std::min(count - before, left());
      const int64_t begin = std::exchange(taken_, taken_ + part);
      if (error == nullptr) error = current_.error;
      if (error != nullptr) return part;
      if (part == count && part == current_.count)
        block = std::move(current_.row);
      else
        stack.add(current_.row, begin, begin + part);
      return part;
    });
    if (stack.size() > 0) block = stack.take();
    return taken;
  }
  void save(StateWriter& state) override {
    if (left() > 0) check_may_be_saved(current_.error);
    state.tensors(left() > 0 ? rows_of(current_.row, taken_, current_.count) : Row{});
    runner_.save(state, [&] {
      state.number(index_);
      input_->save(state);
    });
  }
  void restore(StateReader& state) override {
    current_.row = read_block(state, stage().spec(), current_.count);
    taken_ = 0;
    runner_.restore(state, stage().spec(), [&] {
      index_ = state.count();
      input_->restore(state);
    });
  }

 private:
  int64_t left() const { return current_.count - taken_; }
  /// Whether there is another block. All elements of one that failed have its error.
  bool read() {
    taken_ = 0;
    current_ = {};
    bool more = true;
    if (!guarded(current_.error, [&] { more = runner_.next(current_); }))
      current_.count = std::max<int64_t>(1, current_.count);
    return more;
  }
  bool pull(Runner::Item& item) {
    item.first = index_;
    if (block_ == 1) {
      ++index_;
      return input_->next(item.row);
    }
    std::exception_ptr error;
    item.count = input_->next_block(block_, item.row, error);
    index_ += item.count;
    if (error != nullptr) std::rethrow_exception(error);
    return item.count > 0;
  }
  void work(Runner::Item& item) const {
    if (block_ > 1)
      calls_.run_block(item.row, item.count, item.first);
    else
      calls_.run(item.row, item.first);
  }

  Calls calls_;
  int64_t block_;
  int64_t index_ = 0;  // of the next element to be pulled
  Runner::Item current_;
  int64_t taken_ = 0;  // of the current block
  WalkRef input_;
  Runner runner_;  // goes first: its threads use the others
};

class Mapped final : public Stage {
 public:
  Mapped(const StageRef& input, std::shared_ptr<const Traced> function, const MapOptions& options)
      : Stage("map", function->output(), {input}),
        function_(std::move(function)),
        options_(options) {}

  int64_t cardinality() const override { return input().cardinality(); }
  WalkRef walk(const Context& context) const override {
    if (place().starts_with("in the step")) set_place("");  // now it runs here
    if (options_.num_parallel_calls == 0)
      return std::make_unique<MapWalk>(*this, *function_, context);
    const Tuner::Plan plan{.workers = options_.num_parallel_calls,
                           .deterministic = options_.deterministic};
    return std::make_unique<ParallelMapWalk>(*this, *function_, plan, context, notes_);
  }
  std::string details(int64_t block) const override {
    std::string text = block > 1 && function_->vectorizes()
                           ? fmt::format(": one call for {} elements", block)
                           : ": one call an element";
    if (!function_->vectorizes()) text += fmt::format(" ({})", function_->why_not());
    if (options_.num_parallel_calls == 0 || !place().empty()) return text;
    const std::string notes = notes_.get();
    if (!notes.empty()) return text + "; " + notes;
    return text + (options_.num_parallel_calls == AUTOTUNE
                       ? "; AUTOTUNE"
                       : fmt::format("; {} threads", options_.num_parallel_calls));
  }
  int64_t input_block(int64_t block) const override { return function_->vectorizes() ? block : 1; }
  std::shared_ptr<const Traced> mapping() const override { return function_; }

 private:
  std::shared_ptr<const Traced> function_;
  MapOptions options_;
  mutable Notes notes_;
};

}  // namespace

Dataset Dataset::map_traced(const ElementFunction& function, const MapOptions& options) const {
  require(options.num_parallel_calls >= AUTOTUNE && options.num_parallel_calls <= 1024,
          "map: num_parallel_calls must be positive, AUTOTUNE, or 0 for the reader's thread. Got "
          "{}.",
          options.num_parallel_calls);
  return then(std::make_shared<Mapped>(
      stage_, std::make_shared<const Traced>("map", function, element_spec()), options));
}

}  // namespace alula::data
