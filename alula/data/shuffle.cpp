#include <numeric>

#include "alula/data/dataset.h"
#include "alula/data/one_input.h"

namespace alula::data {
namespace {

/// The picks of one walk: numbers that are a function of a key and of how many came before.
class Picks {
 public:
  explicit Picks(uint64_t key) : key_(key) {}
  /// The next number from 0 to `below`, all equally likely.
  int64_t next(int64_t below) {
    const random::Words words = random::Philox::words(key_, 0, count_++);
    const uint64_t word = uint64_t{words[1]} << 32 | words[0];
    return static_cast<int64_t>(
        (static_cast<unsigned __int128>(word) * static_cast<uint64_t>(below)) >> 64);
  }
  void save(StateWriter& state) const {
    state.number(static_cast<int64_t>(key_));
    state.number(static_cast<int64_t>(count_));
  }
  void restore(StateReader& state) {
    key_ = static_cast<uint64_t>(state.number());
    count_ = static_cast<uint64_t>(state.number());
  }

 private:
  uint64_t key_;
  uint64_t count_ = 0;
};

/// Of elements that can be had in any order, positions are shuffled: the buffer is a list of
/// numbers.
class IndexShuffleWalk final : public Walk {
 public:
  IndexShuffleWalk(const Stage& stage, int64_t buffer, uint64_t key)
      : Walk(stage), source_(*stage.input().indexed()), picks_(key) {
    next_ = std::min(buffer, source_.count());
    buffer_.resize(static_cast<size_t>(next_));
    std::iota(buffer_.begin(), buffer_.end(), int64_t{0});
  }

  bool next(Row& row) override {
    if (buffer_.empty()) return false;
    const int64_t index = pick();
    Row block;
    source_.pick({&index, 1}, block);
    row = row_of(block, 0);
    return true;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr&) override {
    chosen_.clear();
    while (static_cast<int64_t>(chosen_.size()) < count && !buffer_.empty())
      chosen_.push_back(pick());
    if (!chosen_.empty()) source_.pick(chosen_, block);
    return static_cast<int64_t>(chosen_.size());
  }
  int64_t skip(int64_t count) override {
    int64_t passed = 0;
    for (; passed < count && !buffer_.empty(); ++passed) pick();
    return passed;
  }
  void save(StateWriter& state) override {
    picks_.save(state);
    state.number(next_);
    state.tensor(Tensor(buffer_));
  }
  void restore(StateReader& state) override {
    picks_.restore(state);
    next_ = state.count();
    const Tensor positions = state.tensor();
    require<DataLossError>(positions.dtype() == int64, "{}: the saved state holds no positions.",
                           stage().title());
    buffer_ = positions.to_vector<int64_t>();
    for (const int64_t index : buffer_)
      require<DataLossError>(index >= 0 && index < source_.count(),
                             "{}: the saved state names element {} of {}.", stage().title(), index,
                             source_.count());
  }

 private:
  int64_t pick() {
    int64_t& place = buffer_[static_cast<size_t>(picks_.next(std::ssize(buffer_)))];
    const int64_t index = place;
    if (next_ < source_.count()) {
      place = next_++;
    } else {
      place = buffer_.back();
      buffer_.pop_back();
    }
    return index;
  }

  const Indexed& source_;
  Picks picks_;
  int64_t next_ = 0;  // the first that has not been in the buffer
  std::vector<int64_t> buffer_, chosen_;
};

class ShuffleWalk final : public InputWalk {
 public:
  ShuffleWalk(const Stage& stage, WalkRef input, int64_t capacity, uint64_t key)
      : InputWalk(stage, std::move(input)), capacity_(capacity), picks_(key) {}

  bool next(Row& row) override {
    fill();
    if (rows_.empty()) return false;
    Row another;
    const bool more = read(another);  // if it fails, nothing has been taken
    const auto place = static_cast<size_t>(picks_.next(std::ssize(rows_)));
    row = std::move(rows_[place]);
    if (more) {
      rows_[place] = std::move(another);
    } else {
      rows_[place] = std::move(rows_.back());
      rows_.pop_back();
    }
    return true;
  }

 private:
  void save_own(StateWriter& state) override {
    picks_.save(state);
    state.number(ended_ ? 1 : 0);
    state.number(filled_ ? 1 : 0);
    state.number(std::ssize(rows_));
    for (const Row& row : rows_) state.tensors(row);
  }
  void restore_own(StateReader& state) override {
    picks_.restore(state);
    ended_ = state.number() != 0;
    filled_ = state.number() != 0;
    rows_.clear();
    for (int64_t i = state.count(); i > 0; --i) rows_.push_back(read_row(state, stage().spec()));
  }
  bool read(Row& row) {
    if (!ended_) ended_ = !input_->next(row);
    return !ended_;
  }
  void fill() {
    for (Row row; !filled_ && std::ssize(rows_) < capacity_ && read(row);)
      rows_.push_back(std::move(row));
    filled_ = true;
  }

  int64_t capacity_;
  Picks picks_;
  std::vector<Row> rows_;
  bool ended_ = false;
  bool filled_ = false;
};

class Shuffled final : public ChoosingStage<Shuffled> {
 public:
  Shuffled(const StageRef& input, int64_t buffer, const ShuffleOptions& options)
      : ChoosingStage("shuffle", input),
        buffer_(buffer),
        options_(options),
        fixed_key_(options.seed.given() ? random::mix(options.seed.value(), 0)
                                        : random::new_key("shuffle")) {}

  int64_t cardinality() const override { return input().cardinality(); }
  WalkRef walk(const Context& context) const override {
    check_memory();
    if (input().indexed() != nullptr)
      return std::make_unique<IndexShuffleWalk>(*this, buffer_, key(context));
    return std::make_unique<ShuffleWalk>(*this, input().walk(context.with_block(1)), buffer_,
                                         key(context));
  }
  std::string parameters() const override {
    return fmt::format("({}){}", buffer_, input().indexed() != nullptr ? ": by position" : "");
  }

 private:
  uint64_t key(const Context& context) const {
    if (!options_.reshuffle_each_iteration) return fixed_key_;
    const random::ElementScope::Keys keys = own(context).keys;
    return options_.seed.given() ? random::mix(options_.seed.value(), keys.seeded) : keys.unseeded;
  }
  void check_memory() const {
    const int64_t all = input().cardinality();
    const int64_t elements = all >= 0 ? std::min(all, buffer_) : buffer_;
    const auto each = input().indexed() != nullptr ? int64_t{sizeof(int64_t)} : bytes_of(spec());
    const double needed = static_cast<double>(elements) * static_cast<double>(each);
    const auto available = static_cast<double>(available_memory());
    require<ResourceExhaustedError>(
        needed <= available,
        "{}: a buffer of {} elements {} takes {:.1f} GB, but {:.1f} GB are free. Use a smaller "
        "buffer_size, or shuffle before the step that makes elements large.",
        title(), elements, spec(), needed / 1e9, available / 1e9);
  }

  int64_t buffer_;
  ShuffleOptions options_;
  uint64_t fixed_key_;
};

}  // namespace

Dataset Dataset::shuffle(int64_t buffer_size, const ShuffleOptions& options) const {
  require(buffer_size > 0, "shuffle: the size of the buffer must be positive. Got {}.",
          buffer_size);
  return then(std::make_shared<Shuffled>(stage_, buffer_size, options));
}

}  // namespace alula::data
