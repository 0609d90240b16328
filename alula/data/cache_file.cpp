#include <atomic>
#include <filesystem>
#include <unistd.h>

#include "alula/data/cache_store.h"
#include "alula/io/record_reader.h"
#include "alula/io/record_writer.h"

// The file is one of records with checksums: a first one that says what it is, one for each
// element, and a last one with their number.
namespace alula::data {
namespace {

constexpr std::string_view kMagic = "alula cache 1", kElement = "element", kEnd = "end";

[[noreturn]] void fail_damaged(const Stage& who, const std::string& path, const std::string& why) {
  fail<DataLossError>(
      "{}: the file '{}' is damaged, or is no cache: {} Delete it, and it is made "
      "anew.",
      who.title(), path, why);
}

class FileCacheReader final : public CacheReader {
 public:
  FileCacheReader(const Stage& who, const std::string& path)
      : who_(who), path_(path), reader_(path) {
    StateReader head(record());
    const std::string spec = checked([&] {
      head.tag(kMagic);
      return head.text();
    });
    source_ = checked([&] { return head.text(); });
    require<FailedPreconditionError>(
        spec == to_string(who.spec()),
        "{}: the file '{}' has elements {}, not {}. Delete it, or use another file.", who.title(),
        path, spec, who.spec());
  }
  const std::string& source() const override { return source_; }

  bool next(Row& row) override {
    if (ended_) return false;
    StateReader state(record());
    return checked([&] {
      if (state.text() == kEnd) return end(state.number());
      row = state.tensors();
      check(row);
      ++at_;
      return true;
    });
  }
  int64_t next_block(int64_t count, Row& block) override {
    Stack stack(who_, count);
    for (Row row; stack.size() < count && next(row);) stack.add(row);
    block = stack.take();
    return stack.size();
  }
  int64_t skip(int64_t count) override {
    int64_t passed = 0;
    for (Row row; passed < count && next(row);) ++passed;
    return passed;
  }

 private:
  std::string_view record() {
    std::string_view bytes;
    ended_ = true;  // if it cannot be read
    if (!checked([&] { return reader_.next(bytes); }))
      fail_damaged(who_, path_, "it is cut short.");
    ended_ = false;
    return bytes;
  }
  template <class F>
  auto checked(const F& f) -> decltype(f()) {
    try {
      return f();
    } catch (const DataLossError& error) {
      ended_ = true;
      fail_damaged(who_, path_, error.what());
    }
  }
  bool end(int64_t count) {
    require<DataLossError>(count == at_, "it has {} elements, not {}.", at_, count);
    ended_ = true;
    return false;
  }
  void check(const Row& row) const {
    const std::vector<Spec>& specs = who_.spec().specs;
    bool fits = row.size() == specs.size();
    for (size_t i = 0; fits && i < row.size(); ++i)
      fits = row[i].dtype() == specs[i].dtype && compatible(row[i].shape(), specs[i].shape);
    require<DataLossError>(fits, "element {} is no {}.", at_, who_.spec());
  }

  const Stage& who_;
  std::string path_;
  io::RecordReader reader_;
  std::string source_;
  int64_t at_ = 0;
  bool ended_ = false;
};

/// Writes under another name, and puts the file in its place when it is whole.
class FileCacheWriter final : public CacheWriter {
 public:
  FileCacheWriter(const Stage& who, const std::string& path, const std::string& source)
      : who_(who), path_(path), partial_(another_name(path)), writer_(partial_) {
    StateWriter head;
    head.tag(kMagic);
    head.text(to_string(who.spec()));
    head.text(source);
    writer_.write(head.bytes());
  }
  ~FileCacheWriter() override {
    std::error_code ignored;
    if (!finished_) std::filesystem::remove(partial_, ignored);
  }
  void add(const Row& row) override {
    StateWriter element;
    element.text(kElement);
    element.tensors(row);
    writer_.write(element.bytes());
    ++count_;
  }
  void add_block(const Row& block, int64_t count) override {
    for (int64_t i = 0; i < count; ++i) add(row_of(block, i));
  }
  void finish(Existing existing) override {
    StateWriter end;
    end.text(kEnd);
    end.number(count_);
    writer_.write(end.bytes());
    writer_.close();
    if (existing == Existing::kKeep && std::filesystem::exists(path_)) return;
    std::error_code error;
    std::filesystem::rename(partial_, path_, error);
    require<FailedPreconditionError>(!error, "{}: '{}' cannot be put in its place: {}.",
                                     who_.title(), path_, error.message());
    finished_ = true;
  }

 private:
  static std::string another_name(const std::string& path) {
    static std::atomic<int> count = 0;
    return fmt::format("{}.{}-{}.partial", path, getpid(), count++);
  }

  const Stage& who_;
  std::string path_, partial_;
  io::RecordWriter writer_;
  int64_t count_ = 0;
  bool finished_ = false;
};

class FileStore final : public CacheStore {
 public:
  explicit FileStore(std::string path) : path_(std::move(path)) {}
  std::unique_ptr<CacheReader> open(const Stage& who) override {
    if (!std::filesystem::exists(path_)) return nullptr;
    return std::make_unique<FileCacheReader>(who, path_);
  }
  std::unique_ptr<CacheWriter> begin(const Stage& who, std::string source) override {
    return std::make_unique<FileCacheWriter>(who, path_, source);
  }
  std::string description() const override {
    return fmt::format("in '{}'{}", path_,
                       std::filesystem::exists(path_) ? "" : ", after the first whole walk");
  }

 private:
  std::string path_;
};

}  // namespace

std::shared_ptr<CacheStore> cache_in_file(const std::string& path) {
  return std::make_shared<FileStore>(path);
}

}  // namespace alula::data
