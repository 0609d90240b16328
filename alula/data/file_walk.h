#pragma once
#include <algorithm>

#include "alula/data/blocks.h"
#include "alula/data/dataset.h"

namespace alula::data {

/// A walk through the strings that a reader finds in files, one file after another. A file that
/// cannot be read on is left behind with an error.
template <class Reader>
class FileWalk final : public Walk {
 public:
  using Open = std::function<Reader(const std::string&)>;
  FileWalk(const Stage& stage, const std::vector<std::string>& files, const Open& open)
      : Walk(stage), files_(files), open_(open) {}

  bool next(Row& row) override {
    std::string_view text;
    if (!read(text)) return false;
    row.assign(1, Tensor(text));
    return true;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    Tensor column = Tensor::uninitialized({string, {count}});
    auto* to = static_cast<std::string*>(column.mutable_data());
    const int64_t taken = fill_block(count, error, [&](int64_t i) {
      std::string_view text;
      if (!read(text)) return 0;
      to[i].assign(text);
      return 1;
    });
    block.assign(1, taken == count ? column : column.rows(0, taken));
    return taken;
  }
  int64_t skip(int64_t count) override {
    int64_t passed = 0;
    for (std::string_view text; passed < count && read(text);) ++passed;
    return passed;
  }
  void save(StateWriter& state) override {
    state.number(static_cast<int64_t>(file_));
    state.number(reader_ != nullptr ? 1 : 0);
    if (reader_ != nullptr) state.number(static_cast<int64_t>(reader_->position()));
  }
  void restore(StateReader& state) override {
    file_ = std::min(static_cast<size_t>(state.count()), files_.size());
    if (state.number() == 0) return;
    const int64_t position = state.count();
    require<DataLossError>(file_ > 0, "iterator: the saved state is damaged.");
    reader_ = std::make_unique<Reader>(open_(files_[file_ - 1]));
    reader_->seek(static_cast<uint64_t>(position));
  }

 private:
  bool read(std::string_view& text) {
    for (;;) {
      if (reader_ == nullptr) {
        if (file_ == files_.size()) return false;
        const std::string& name = files_[file_++];  // passed over if it cannot be opened
        reader_ = std::make_unique<Reader>(open_(name));
      }
      if (reader_->next(text)) return true;
      reader_.reset();
    }
  }

  const std::vector<std::string>& files_;
  const Open& open_;
  size_t file_ = 0;  // the next to be opened
  std::unique_ptr<Reader> reader_;
};

/// A source of strings out of files.
template <class Reader>
class FileStage final : public Stage {
 public:
  FileStage(const char* name, const std::vector<std::string>& files,
            typename FileWalk<Reader>::Open open)
      : Stage(name, {{}, {{string, {}}}}), files_(files), open_(std::move(open)) {
    require(!files.empty(), "{}: there is no file.", name);
  }
  int64_t cardinality() const override { return kUnknownCardinality; }
  WalkRef walk(const Context&) const override {
    return std::make_unique<FileWalk<Reader>>(*this, files_, open_);
  }
  std::string details(int64_t) const override {
    return files_.size() == 1 ? fmt::format(": '{}'", files_[0])
                              : fmt::format(": {} files from '{}' on", files_.size(), files_[0]);
  }

 private:
  std::vector<std::string> files_;
  typename FileWalk<Reader>::Open open_;
};

}  // namespace alula::data
