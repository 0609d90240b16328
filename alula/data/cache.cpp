#include "alula/data/blocks.h"
#include "alula/data/cache_store.h"
#include "alula/data/dataset.h"

namespace alula::data {
namespace {

class CacheWalk final : public Walk {
 public:
  CacheWalk(const Stage& stage, CacheStore& store, const Context& context)
      : Walk(stage), store_(store), context_(context), in_blocks_(context.block > 1) {}

  bool next(Row& row) override {
    begin();
    if (ended_) return false;
    if (reader_ != nullptr) return advance(reader_->next(row) ? 1 : 0, 1) > 0;
    bool more = true;
    std::exception_ptr error;
    guarded(error, [&] { more = input_->next(row); });
    keep(more ? 1 : 0, 1, error, [&] { writer_->add(row); });
    if (error != nullptr) std::rethrow_exception(error);
    return more;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    if (!in_blocks_) return Walk::next_block(count, block, error);
    begin();
    if (ended_) return 0;
    if (reader_ != nullptr) return advance(reader_->next_block(count, block), count);
    const int64_t taken = input_->next_block(count, block, error);
    keep(taken, count, error, [&] { writer_->add_block(block, taken); });
    return taken;
  }
  int64_t skip(int64_t count) override {
    begin();
    if (ended_) return 0;
    if (reader_ != nullptr) return advance(reader_->skip(count), count);
    return Walk::skip(count);
  }
  void save(StateWriter& state) override;
  void restore(StateReader& state) override;

 private:
  enum Mode : int64_t { kReading, kWriting, kPassing };

  void begin() {
    if (begun_) return;
    begun_ = true;
    // What cannot be opened is said once, and then there is nothing.
    ended_ = true;
    reader_ = store_.open(stage());
    if (reader_ != nullptr)
      source_ = reader_->source();
    else
      begin_to_write();
    ended_ = false;
  }
  void begin_to_write() {
    input_ = stage().input().walk(context_);
    if (stage().input().cardinality() == kInfiniteCardinality) return;  // would never be whole
    StateWriter fresh;
    fresh.number(static_cast<int64_t>(context_.keys.unseeded));
    fresh.number(static_cast<int64_t>(context_.keys.seeded));
    input_->save(fresh);
    source_ = fresh.bytes();
    writer_ = store_.begin(stage(), source_);
  }
  int64_t advance(int64_t given, int64_t wanted) {
    at_ += given;
    ended_ = given < wanted;
    return given;
  }
  /// What the input gave is added to the cache. If an element fails, the others are no whole walk.
  template <class Add>
  void keep(int64_t taken, int64_t wanted, std::exception_ptr& error, const Add& add) {
    if (error == nullptr && taken > 0 && writer_ != nullptr) guarded(error, add);
    if (error != nullptr) writer_.reset();
    advance(taken, wanted);
    const int64_t all = stage().input().cardinality();
    // The reader may know the number, and not ask whether there is more.
    if (ended_ || at_ == all) guarded(error, [&] { finish(all < 0 || at_ == all); });
  }

  /// What comes to its end because the reader has gone is no whole walk.
  void finish(bool whole) {
    const std::unique_ptr<CacheWriter> writer = std::move(writer_);
    if (writer == nullptr || !whole || context_.stop.stop_requested()) return;
    writer->finish(restored_ ? CacheWriter::Existing::kReplace : CacheWriter::Existing::kKeep);
    finished_ = true;
  }

  CacheStore& store_;
  Context context_;
  bool in_blocks_;
  bool begun_ = false, ended_ = false, finished_ = false, restored_ = false;
  int64_t at_ = 0;
  std::string source_;  // what the input draws by, and its state at the beginning
  std::unique_ptr<CacheReader> reader_;
  std::unique_ptr<CacheWriter> writer_;
  WalkRef input_;
};

/// The elements themselves are not saved: they can be made again.
void CacheWalk::save(StateWriter& state) {
  begin();
  const bool passing = reader_ == nullptr && writer_ == nullptr && !finished_;
  state.number(passing ? kPassing : reader_ != nullptr || finished_ ? kReading : kWriting);
  state.number(ended_ ? 1 : 0);
  state.number(at_);
  if (passing) {
    input_->save(state);
  } else {
    state.text(source_);
  }
}

void CacheWalk::restore(StateReader& state) {
  begun_ = true;
  const int64_t mode = state.number();
  const bool ended = state.number() != 0;
  const int64_t at = state.count();
  if (mode == kPassing) {
    input_ = stage().input().walk(context_);
    input_->restore(state);
    ended_ = ended;
    return;
  }
  source_ = state.text();
  reader_ = store_.open(stage());
  if (reader_ != nullptr && reader_->source() != source_) reader_.reset();
  if (reader_ == nullptr) {
    restored_ = true;
    StateReader fresh(source_);
    Context context = context_;  // that of the walk that filled it
    context.keys.unseeded = static_cast<uint64_t>(fresh.number());
    context.keys.seeded = static_cast<uint64_t>(fresh.number());
    input_ = stage().input().walk(context);
    input_->restore(fresh);
    writer_ = store_.begin(stage(), source_);
    if (mode == kReading) {
      for (Row row; next(row);) {
      }
      at_ = 0;
      reader_ = store_.open(stage());
    }
  }
  ended_ = false;
  require<DataLossError>(skip(at) == at, "{}: the saved state names element {} of fewer.",
                         stage().title(), at);
  ended_ = ended;
}

class Cached final : public SameSpecStage {
 public:
  Cached(const StageRef& input, std::shared_ptr<CacheStore> store)
      : SameSpecStage("cache", input), store_(std::move(store)) {}

  int64_t cardinality() const override { return input().cardinality(); }
  WalkRef walk(const Context& context) const override {
    return std::make_unique<CacheWalk>(*this, *store_,
                                       context.with_block(input_block(context.block)));
  }
  std::string details(int64_t) const override { return ": " + store_->description(); }
  int64_t input_block(int64_t block) const override { return has_known_shapes(spec()) ? block : 1; }

  StageRef onto(const StageRef& input) const override {
    std::shared_ptr<CacheStore> store = store_->for_positions();
    return store == nullptr ? nullptr : std::make_shared<Cached>(input, std::move(store));
  }
  std::string why_on_host() const override { return "elements are kept there already"; }

 private:
  std::shared_ptr<CacheStore> store_;
};

}  // namespace

Dataset Dataset::cache(const std::string& file) const {
  return then(
      std::make_shared<Cached>(stage_, file.empty() ? cache_in_memory() : cache_in_file(file)));
}

}  // namespace alula::data
