#include <algorithm>
#include <mutex>

#include "alula/data/budget.h"
#include "alula/data/cache_store.h"

namespace alula::data {
namespace {

/// How many bytes are collected between looks at what memory is left, and what must be left.
constexpr int64_t kLook = int64_t{64} << 20;
/// Elements of an unknown number are stacked so many bytes at a time.
constexpr int64_t kChunkBytes = int64_t{4} << 20;

/// The elements of a whole walk.
struct Contents {
  struct Chunk {
    int64_t first, count;
    Row columns;  // stacked; or, if shapes are unknown, the tensors of one element
  };
  std::string source;
  bool stacked;
  std::vector<Chunk> chunks;
  int64_t count = 0;
  int64_t bytes = 0;
};
using ContentsRef = std::shared_ptr<const Contents>;

class MemoryReader final : public CacheReader {
 public:
  MemoryReader(const Stage& who, ContentsRef contents)
      : who_(who), contents_(std::move(contents)) {}
  const std::string& source() const override { return contents_->source; }

  bool next(Row& row) override {
    if (at_ == contents_->count) return false;
    const Contents::Chunk& chunk = current();
    row = contents_->stacked ? row_of(chunk.columns, at_ - chunk.first) : chunk.columns;
    ++at_;
    return true;
  }
  int64_t next_block(int64_t count, Row& block) override {
    const int64_t given = std::min(count, contents_->count - at_);
    if (given == 0) return 0;
    if (contents_->stacked) {
      const Contents::Chunk& chunk = current();
      if (at_ - chunk.first + given <= chunk.count) {
        block = rows_of(chunk.columns, at_ - chunk.first, at_ - chunk.first + given);
        at_ += given;
        return given;
      }
    }
    Stack stack(who_, given);
    while (stack.size() < given) add_part(given - stack.size(), stack);
    block = stack.take();
    return given;
  }
  int64_t skip(int64_t count) override {
    const int64_t passed = std::min(count, contents_->count - at_);
    at_ += passed;
    return passed;
  }

 private:
  /// The chunk of the next element, which there must be.
  const Contents::Chunk& current() {
    const auto& chunks = contents_->chunks;
    while (at_ >= chunks[chunk_].first + chunks[chunk_].count) ++chunk_;
    return chunks[chunk_];
  }
  void add_part(int64_t most, Stack& stack) {
    const Contents::Chunk& chunk = current();
    if (!contents_->stacked) {
      stack.add(chunk.columns);
      ++at_;
      return;
    }
    const int64_t begin = at_ - chunk.first, end = std::min(chunk.count, begin + most);
    stack.add(chunk.columns, begin, end);
    at_ += end - begin;
  }

  const Stage& who_;
  ContentsRef contents_;
  int64_t at_ = 0;
  size_t chunk_ = 0;
};

class MemoryStore;

class MemoryWriter final : public CacheWriter {
 public:
  MemoryWriter(const Stage& who, std::string source, MemoryStore& store)
      : who_(who), store_(store), contents_(std::make_shared<Contents>()) {
    contents_->source = std::move(source);
    contents_->stacked = has_known_shapes(who.spec());
    check_whole();
  }
  void add(const Row& row) override {
    if (contents_->stacked) {
      open_chunk();
      stack_->add(row);
      close_if_full();
    } else {
      contents_->chunks.push_back({contents_->count, 1, row});
    }
    count(1, bytes_of(row));
  }
  void add_block(const Row& block, int64_t count) override {
    for (int64_t begin = 0; begin < count;) {
      open_chunk();
      const int64_t part = std::min(count - begin, capacity_ - stack_->size());
      stack_->add(block, begin, begin + part);
      begin += part;
      close_if_full();
    }
    this->count(count, bytes_of(block));
  }
  void finish(Existing existing) override;

 private:
  /// A cache of a known size says at once that it will not fit.
  void check_whole() const {
    const int64_t elements = who_.cardinality();
    if (elements < 0) return;
    const double needed =
        static_cast<double>(elements) * static_cast<double>(bytes_of(who_.spec()));
    check_fits(needed, elements);
  }
  void check_fits(double needed, int64_t elements) const {
    const auto available = static_cast<double>(available_memory());
    require<ResourceExhaustedError>(
        needed <= available,
        "{}: {} elements {} take {:.1f} GB, but {:.1f} GB are free. Use cache with the name of a "
        "file, or put it before the step that makes elements large.",
        who_.title(), elements, who_.spec(), needed / 1e9, available / 1e9);
  }
  /// One of an unknown size says so while something is left.
  void count(int64_t elements, int64_t bytes) {
    contents_->count += elements;
    contents_->bytes += bytes;
    since_look_ += bytes;
    if (since_look_ < kLook || who_.cardinality() >= 0) return;
    since_look_ = 0;
    check_fits(static_cast<double>(2 * kLook), contents_->count);
  }
  void open_chunk() {
    if (stack_ != nullptr) return;
    const int64_t expected = who_.cardinality() - contents_->count;
    const int64_t some =
        std::clamp<int64_t>(kChunkBytes / std::max<int64_t>(1, bytes_of(who_.spec())), 1, 16384);
    capacity_ = expected > 0 ? expected : some;
    stack_ = std::make_unique<Stack>(who_, capacity_);
    first_ = stacked_;
  }
  void close_if_full() {
    if (stack_->size() == capacity_) close_chunk();
  }
  void close_chunk() {
    if (stack_ == nullptr) return;
    const int64_t count = stack_->size();
    contents_->chunks.push_back({first_, count, stack_->take()});
    stacked_ += count;
    stack_.reset();
  }

  const Stage& who_;
  MemoryStore& store_;
  std::shared_ptr<Contents> contents_;
  std::unique_ptr<Stack> stack_;  // of the chunk being filled
  int64_t capacity_ = 0;
  int64_t first_ = 0;
  int64_t stacked_ = 0;
  int64_t since_look_ = 0;
};

class MemoryStore final : public CacheStore {
 public:
  std::unique_ptr<CacheReader> open(const Stage& who) override {
    const ContentsRef contents = get();
    if (contents == nullptr) return nullptr;
    return std::make_unique<MemoryReader>(who, contents);
  }
  std::unique_ptr<CacheWriter> begin(const Stage& who, std::string source) override {
    return std::make_unique<MemoryWriter>(who, std::move(source), *this);
  }
  void set(ContentsRef contents, CacheWriter::Existing existing) {
    const std::lock_guard lock(mutex_);
    if (contents_ == nullptr || existing == CacheWriter::Existing::kReplace)
      contents_ = std::move(contents);
  }
  std::shared_ptr<CacheStore> for_positions() override {
    const std::lock_guard lock(mutex_);
    if (contents_ == nullptr && positions_ == nullptr) positions_ = std::make_shared<MemoryStore>();
    return contents_ == nullptr ? positions_ : nullptr;
  }
  std::string description() const override {
    const ContentsRef contents = get();
    if (contents == nullptr) return "in memory, after the first whole walk";
    return fmt::format("in memory: {} elements, {:.1f} MB", contents->count,
                       static_cast<double>(contents->bytes) / 1e6);
  }

 private:
  ContentsRef get() const {
    const std::lock_guard lock(mutex_);
    return contents_;
  }

  mutable std::mutex mutex_;
  ContentsRef contents_;
  std::shared_ptr<CacheStore> positions_;
};

void MemoryWriter::finish(Existing existing) {
  close_chunk();
  store_.set(std::move(contents_), existing);
}

}  // namespace

std::shared_ptr<CacheStore> cache_in_memory() { return std::make_shared<MemoryStore>(); }

}  // namespace alula::data
