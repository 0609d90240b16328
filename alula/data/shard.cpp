#include "alula/data/blocks.h"
#include "alula/data/dataset.h"
#include "alula/data/kept.h"
#include "alula/data/one_input.h"
#include "alula/data/position.h"

namespace alula::data {
namespace {

struct Shard {
  int64_t count, index;
  /// How many of so many elements belong to it.
  int64_t of(int64_t all) const { return all / count + (all % count > index ? 1 : 0); }
  /// How many of the others' elements come before the next of its own.
  int64_t gap(int64_t position) const { return (index - position % count + count) % count; }
};

/// Of elements that can be had in any order, the others are never touched.
class IndexShardWalk final : public PositionWalk {
 public:
  IndexShardWalk(const Stage& stage, const Indexed& elements)
      : PositionWalk(stage, elements.count()), elements_(elements) {}

  bool next(Row& row) override {
    Row block;
    if (take_block(1, block) == 0) return false;
    row = row_of(block, 0);
    return true;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr&) override {
    const int64_t given = std::min(count, at_.left()), begin = at_.take(given);
    indices_.resize(static_cast<size_t>(given));
    for (int64_t i = 0; i < given; ++i) indices_[static_cast<size_t>(i)] = begin + i;
    if (given > 0) elements_.pick(indices_, block);
    return given;
  }

 private:
  const Indexed& elements_;
  std::vector<int64_t> indices_;
};

/// Where the reader takes blocks, blocks are read, so that steps before this one keep their pace.
/// An element that fails is counted, so that all shards agree on what belongs to whom.
class ShardWalk final : public InputWalk {
 public:
  ShardWalk(const Stage& stage, const Shard& shard, int64_t block, WalkRef input)
      : InputWalk(stage, std::move(input)), shard_(shard), block_(block) {}

  bool next(Row& row) override {
    if (block_ > 1 || kept_.left() > 0) {
      if (!read()) return false;
      row = kept_.take_one();
      return true;
    }
    while (shard_.gap(at_) > 0) {
      ++at_;
      if (input_->skip(1) == 0) return false;
    }
    ++at_;
    return input_->next(row);
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    if (block_ == 1) return Walk::next_block(count, block, error);
    Stack stack(stage(), count);
    const int64_t taken = fill_block(count, error, [&](int64_t before) {
      return read() ? kept_.take(count - before, stack) : 0;
    });
    block = stack.take();
    return taken;
  }

 private:
  void save_own(StateWriter& state) override {
    state.number(at_);
    kept_.save(stage(), state);
  }
  void restore_own(StateReader& state) override {
    at_ = state.count();
    kept_.restore(stage(), state);
  }
  bool read() {
    while (kept_.left() == 0) {
      Row block;
      std::exception_ptr error;
      const int64_t first = shard_.gap(at_), given = input_->next_block(block_, block, error);
      at_ += given;
      if (error != nullptr) std::rethrow_exception(error);
      if (given == 0) return false;
      std::vector<int64_t> rows;
      for (int64_t i = first; i < given; i += shard_.count) rows.push_back(i);
      kept_.set(std::move(block), given, std::move(rows));
    }
    return true;
  }

  Shard shard_;
  int64_t block_;
  int64_t at_ = 0;  // how many elements of the input have gone by
  Kept kept_;
};

class Sharded final : public ChoosingStage<Sharded>, public Indexed {
 public:
  Sharded(const StageRef& input, const Shard& shard)
      : ChoosingStage("shard", input), shard_(shard) {}

  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    return all < 0 ? all : shard_.of(all);
  }
  WalkRef walk(const Context& context) const override {
    if (indexed() != nullptr) return std::make_unique<IndexShardWalk>(*this, *this);
    const int64_t block = input_block(context.block);
    return std::make_unique<ShardWalk>(*this, shard_, block,
                                       input().walk(context.with_block(block)));
  }
  std::string parameters() const override {
    return fmt::format("({}, {})", shard_.count, shard_.index);
  }
  std::string details(int64_t) const override {
    return parameters() + (indexed() != nullptr ? ": by position" : "");
  }
  int64_t input_block(int64_t block) const override { return has_known_shapes(spec()) ? block : 1; }

  const Indexed* indexed() const override { return input().indexed() != nullptr ? this : nullptr; }
  int64_t count() const override { return shard_.of(input().indexed()->count()); }
  void pick(std::span<const int64_t> indices, Row& block) const override {
    std::vector<int64_t> places;
    places.reserve(indices.size());
    for (const int64_t i : indices) places.push_back(i * shard_.count + shard_.index);
    input().indexed()->pick(places, block);
  }

 private:
  Shard shard_;
};

}  // namespace

Dataset Dataset::shard(int64_t num_shards, int64_t index) const {
  require(num_shards > 0, "shard: the number of shards must be positive. Got {}.", num_shards);
  require(index >= 0 && index < num_shards,
          "shard: the index must be at least 0 and less than the number of shards, {}. Got {}.",
          num_shards, index);
  return then(std::make_shared<Sharded>(stage_, Shard{num_shards, index}));
}

}  // namespace alula::data
