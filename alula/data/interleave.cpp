#include <condition_variable>

#include "alula/data/inner.h"
#include "alula/data/runner.h"

namespace alula::data {
namespace {

/// Lets so many threads of one walk read at the same time.
class Gate {
 public:
  explicit Gate(int64_t places) : free_(places) {}
  /// Waits for a place; false if told to stop.
  bool enter(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return free_ > 0; })) return false;
    --free_;
    return true;
  }
  void leave() {
    {
      const std::lock_guard lock(mutex_);
      ++free_;
    }
    changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int64_t free_;
};

/// One of the data sets that are read in turn.
class Slot {
 public:
  virtual ~Slot() = default;
  /// Begins to read ahead, if it does.
  virtual void start() {}
  virtual bool next(Row& row) = 0;
  virtual void save(StateWriter& state) = 0;
  virtual void restore(StateReader& state) = 0;
};

class PlainSlot final : public Slot {
 public:
  PlainSlot(const Stage& who, const InnerDatasets& datasets, Row element, int64_t index,
            const Context& context)
      : inner_(who, datasets, std::move(element), index, context) {}
  bool next(Row& row) override { return inner_.next(row); }
  void save(StateWriter& state) override {
    state.tensors(inner_.element());
    state.number(inner_.index());
    inner_.walk().save(state);
  }
  void restore(StateReader& state) override { inner_.walk().restore(state); }

 private:
  InnerWalk inner_;
};

/// A thread reads ahead of the reader's turn.
class AheadSlot final : public Slot {
 public:
  AheadSlot(const Stage& who, const InnerDatasets& datasets, Row element, int64_t index,
            const Context& context, const Tuner::Plan& plan, Gate& gate, Notes& notes)
      : spec_(who.spec()), gate_(gate), runner_(plan, context, notes) {
    const Context inner = runner_.input_context();
    stop_ = inner.stop;
    inner_ = std::make_unique<InnerWalk>(who, datasets, std::move(element), index, inner);
    runner_.begin([this](Runner::Item& item) { return pull(item); }, nullptr);
  }
  void start() override { runner_.start(); }
  bool next(Row& row) override {
    Runner::Item item;
    const bool more = runner_.next(item);
    row = std::move(item.row);
    return more;
  }
  void save(StateWriter& state) override {
    state.tensors(inner_->element());
    state.number(inner_->index());
    runner_.save(state, [&] { inner_->walk().save(state); });
  }
  void restore(StateReader& state) override {
    runner_.restore(state, spec_, [&] { inner_->walk().restore(state); });
  }

 private:
  bool pull(Runner::Item& item) {
    if (!gate_.enter(stop_)) return false;
    try {
      const bool more = inner_->next(item.row);
      gate_.leave();
      return more;
    } catch (...) {
      gate_.leave();
      throw;
    }
  }

  const ElementSpec& spec_;
  Gate& gate_;
  std::stop_token stop_;
  std::unique_ptr<InnerWalk> inner_;
  Runner runner_;  // goes first: its thread uses the others
};

/// Whether elements take long enough for threads to be worth it from a data set's first element on:
/// a data set may be too short to find that out by itself.
class Costs {
 public:
  using Clock = std::chrono::steady_clock;
  bool are_high() const { return count_ > kTrial && mean_ > kWorthAThread; }
  void add(std::chrono::duration<double> cost) {
    if (count_++ == 0) return;  // it may have opened something
    mean_ += (cost - mean_) / static_cast<double>(std::min<int64_t>(count_ - 1, 16));
  }

 private:
  static constexpr std::chrono::duration<double> kWorthAThread = std::chrono::microseconds(30);
  static constexpr int64_t kTrial = 4;
  int64_t count_ = 0;
  std::chrono::duration<double> mean_ = {};
};

class InterleaveWalk final : public Walk {
 public:
  InterleaveWalk(const Stage& stage, const InnerDatasets& datasets,
                 const InterleaveOptions& options, const Context& context, Notes& notes)
      : Walk(stage),
        datasets_(datasets),
        options_(options),
        context_(stage.own(context).with_block(1)),
        notes_(notes),
        gate_(options.num_parallel_calls > 0 ? options.num_parallel_calls : options.cycle_length),
        input_(stage.input().walk(context.with_block(1))),
        slots_(static_cast<size_t>(options.cycle_length)) {}

  bool next(Row& row) override {
    if (reads_ahead() && !begun_) open_all();
    while (open_ > 0 || !input_ended_) {
      std::unique_ptr<Slot>& slot = slots_[cycle_];
      if (slot == nullptr && (input_ended_ || !open(cycle_))) {
        turn();
      } else if (read(*slot, row)) {
        if (++taken_ == options_.block_length) turn();
        return true;
      } else {
        close(cycle_);
        if (reads_ahead()) open(cycle_);
        turn();
      }
    }
    return false;
  }
  void save(StateWriter& state) override;
  void restore(StateReader& state) override;

 private:
  bool reads_ahead() const { return options_.num_parallel_calls != 0; }
  bool read(Slot& slot, Row& row) {
    if (options_.num_parallel_calls != AUTOTUNE || costs_.are_high()) return slot.next(row);
    const Costs::Clock::time_point begin = Costs::Clock::now();
    const bool more = slot.next(row);
    costs_.add(Costs::Clock::now() - begin);
    return more;
  }
  /// The next data set's turn.
  void turn() {
    taken_ = 0;
    cycle_ = (cycle_ + 1) % slots_.size();
  }
  /// All begin to read at once. They are filled in the order in which they would be reached.
  void open_all() {
    begun_ = true;
    for (size_t i = 0; i < slots_.size() && !input_ended_; ++i) open(i);
  }
  /// Makes the data set of the next element; false if there is none.
  bool open(size_t i) {
    Row element;
    if (!input_ended_) input_ended_ = !input_->next(element);
    if (input_ended_) return false;
    slots_[i] = make(std::move(element), index_++);
    slots_[i]->start();
    ++open_;
    return true;
  }
  void close(size_t i) {
    slots_[i].reset();
    --open_;
  }
  std::unique_ptr<Slot> make(Row element, int64_t index) {
    if (!reads_ahead())
      return std::make_unique<PlainSlot>(stage(), datasets_, std::move(element), index, context_);
    const bool tuned = options_.num_parallel_calls == AUTOTUNE;
    const Tuner::Plan plan{
        .workers = tuned && !costs_.are_high() ? AUTOTUNE : 1,
        .most_workers = 1,
        .buffer = tuned ? AUTOTUNE : std::max<int64_t>(2, options_.block_length)};
    return std::make_unique<AheadSlot>(stage(), datasets_, std::move(element), index, context_,
                                       plan, gate_, notes_);
  }

  const InnerDatasets& datasets_;
  InterleaveOptions options_;
  Context context_;
  Notes& notes_;
  Gate gate_;
  Costs costs_;
  WalkRef input_;
  bool input_ended_ = false;
  bool begun_ = false;
  int64_t index_ = 0;  // of the next element of the input
  std::vector<std::unique_ptr<Slot>> slots_;
  int64_t open_ = 0;
  size_t cycle_ = 0;   // whose turn it is
  int64_t taken_ = 0;  // of this turn
};

void InterleaveWalk::save(StateWriter& state) {
  input_->save(state);
  state.number(input_ended_ ? 1 : 0);
  state.number(begun_ ? 1 : 0);
  state.number(index_);
  state.number(static_cast<int64_t>(cycle_));
  state.number(taken_);
  for (const std::unique_ptr<Slot>& slot : slots_) {
    state.number(slot != nullptr ? 1 : 0);
    if (slot != nullptr) slot->save(state);
  }
}

void InterleaveWalk::restore(StateReader& state) {
  input_->restore(state);
  input_ended_ = state.number() != 0;
  begun_ = state.number() != 0;
  index_ = state.count();
  cycle_ = static_cast<size_t>(state.count()) % slots_.size();
  taken_ = state.count();
  for (std::unique_ptr<Slot>& slot : slots_) {
    if (state.number() == 0) continue;
    Row element = read_row(state, stage().input().spec());
    slot = make(std::move(element), state.count());
    slot->restore(state);
    slot->start();
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
  std::string details(int64_t) const override {
    std::string text = fmt::format(": {} data sets in turn, {} of each", options_.cycle_length,
                                   options_.block_length);
    if (options_.num_parallel_calls == 0) return text;
    text += options_.num_parallel_calls == AUTOTUNE
                ? "; read ahead by AUTOTUNE"
                : fmt::format("; read ahead, {} at a time", options_.num_parallel_calls);
    const std::string notes = notes_.get();
    return notes.empty() ? text : fmt::format("{} (each: {})", text, notes);
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
