#include <algorithm>

#include "alula/data/cycle.h"

namespace alula::data {
namespace {

/// What is read ahead of one data set at most, whatever its share of a turn.
constexpr int64_t kMostAhead = 64;

class InterleaveWalk final : public Walk {
 public:
  InterleaveWalk(const Stage& stage, const InnerDatasets& datasets,
                 const InterleaveOptions& options, const Context& context, Notes& notes)
      : Walk(stage),
        datasets_(datasets),
        options_(options),
        input_(stage.input().walk(context.with_block(1))),
        cycle_({.places = options.cycle_length,
                .readers = options.num_parallel_calls,
                .ahead = std::clamp<int64_t>(options.block_length, 2, kMostAhead)},
               stage.own(context).with_block(1), notes) {}

  bool next(Row& row) override {
    if (reads_ahead() && !begun_) open_all();
    while (open_ > 0 || !input_ended_) {
      if (!options_.deterministic) take_whichever_is_there();
      if (!cycle_.is_open(turn_) && (input_ended_ || !open(turn_)))
        pass_on();
      else if (read(row))
        return true;
    }
    return false;
  }
  void save(StateWriter& state) override;
  void restore(StateReader& state) override;

 private:
  bool reads_ahead() const { return options_.num_parallel_calls != 0; }
  /// Reads from the data set whose turn it is; false if it has ended. An element that fails has had
  /// its turn.
  bool read(Row& row) {
    bool more = true;
    try {
      more = cycle_.next(turn_, row);
    } catch (...) {
      count();
      throw;
    }
    if (more) {
      count();
    } else {
      const size_t gone = turn_;
      cycle_.close(gone);
      --open_;
      pass_on();
      if (reads_ahead()) open(gone);
    }
    return more;
  }
  void count() {
    if (++taken_ == options_.block_length) pass_on();
  }
  /// The next data set's turn.
  void pass_on() {
    taken_ = 0;
    turn_ = (turn_ + 1) % cycle_.size();
  }
  void take_whichever_is_there() {
    const size_t there = cycle_.wait_for_any(turn_, !input_ended_);
    if (there != turn_) taken_ = 0;
    turn_ = there;
  }
  /// All begin to be read at once. They are opened in the order in which they would be reached.
  void open_all() {
    begun_ = true;
    for (size_t i = 0; i < cycle_.size() && !input_ended_; ++i) open(i);
  }
  /// Makes the data set of the next element; false if there is none.
  bool open(size_t i) {
    Row element;
    if (!input_ended_) input_ended_ = !input_->next(element);
    if (input_ended_) return false;
    cycle_.open(i, make(std::move(element), index_++));
    ++open_;
    return true;
  }
  std::unique_ptr<InnerWalk> make(Row element, int64_t index) const {
    return std::make_unique<InnerWalk>(stage(), datasets_, std::move(element), index,
                                       cycle_.inner_context());
  }

  const InnerDatasets& datasets_;
  InterleaveOptions options_;
  WalkRef input_;
  bool input_ended_ = false;
  bool begun_ = false;
  int64_t index_ = 0;  // of the next element of the input
  Cycle cycle_;
  int64_t open_ = 0;
  size_t turn_ = 0;    // whose it is
  int64_t taken_ = 0;  // of this turn
};

void InterleaveWalk::save(StateWriter& state) {
  input_->save(state);
  state.number(input_ended_ ? 1 : 0);
  state.number(begun_ ? 1 : 0);
  state.number(index_);
  state.number(static_cast<int64_t>(turn_));
  state.number(taken_);
  for (size_t i = 0; i < cycle_.size(); ++i) {
    state.number(cycle_.is_open(i) ? 1 : 0);
    if (cycle_.is_open(i)) cycle_.save(i, state);
  }
}

void InterleaveWalk::restore(StateReader& state) {
  input_->restore(state);
  input_ended_ = state.number() != 0;
  begun_ = state.number() != 0;
  index_ = state.count();
  turn_ = static_cast<size_t>(state.count()) % cycle_.size();
  taken_ = state.count();
  for (size_t i = 0; i < cycle_.size(); ++i) {
    if (state.number() == 0) continue;
    Row element = read_row(state, stage().input().spec());
    const int64_t index = state.count();
    cycle_.restore(i, state, make(std::move(element), index), stage().spec());
    ++open_;
  }
}

class Interleaved final : public Stage {
 public:
  Interleaved(const StageRef& input, std::unique_ptr<const InnerDatasets> datasets,
              const InterleaveOptions& options)
      : Stage("interleave", datasets->spec(), {input}),
        datasets_(std::move(datasets)),
        options_(options) {}

  int64_t cardinality() const override {
    return input().cardinality() == 0 ? 0 : kUnknownCardinality;
  }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<InterleaveWalk>(*this, *datasets_, options_, context, notes_);
  }
  std::string parameters() const override {
    return fmt::format(": {} data sets in turn, {} of each", options_.cycle_length,
                       options_.block_length);
  }
  std::string details(int64_t) const override {
    std::string text = parameters();
    if (options_.num_parallel_calls == 0) return text;
    text += options_.num_parallel_calls == AUTOTUNE
                ? "; read ahead by AUTOTUNE"
                : fmt::format("; read ahead by up to {} threads",
                              std::min(options_.num_parallel_calls, options_.cycle_length));
    const std::string notes = notes_.get();
    return notes.empty() ? text : fmt::format("{} ({})", text, notes);
  }

 private:
  std::unique_ptr<const InnerDatasets> datasets_;
  InterleaveOptions options_;
  mutable Notes notes_;
};

}  // namespace

Dataset Dataset::interleave_with(const DatasetFunction& function,
                                 const InterleaveOptions& options) const {
  require(options.cycle_length > 0 && options.cycle_length <= 4096,
          "interleave: cycle_length must be positive, and at most 4096. Got {}.",
          options.cycle_length);
  require(options.block_length > 0, "interleave: block_length must be positive. Got {}.",
          options.block_length);
  require(options.num_parallel_calls >= AUTOTUNE && options.num_parallel_calls <= 1024,
          "interleave: num_parallel_calls must be positive, AUTOTUNE, or 0 for the reader's "
          "thread. Got {}.",
          options.num_parallel_calls);
  return then(std::make_shared<Interleaved>(
      stage_, std::make_unique<InnerDatasets>("interleave", function, *stage_), options));
}

}  // namespace alula::data
