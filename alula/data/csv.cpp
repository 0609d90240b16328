#include "alula/io/csv.h"

#include "alula/data/blocks.h"
#include "alula/data/csv_columns.h"

namespace alula::data {
namespace {

class CsvWalk final : public Walk {
 public:
  CsvWalk(const Stage& stage, const std::vector<std::string>& files, const CsvLayout& layout)
      : Walk(stage), files_(files), layout_(layout) {}

  bool next(Row& row) override {
    if (!read()) return false;
    row = columns({});
    fill(row, 0);
    return true;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error) override {
    Row whole = columns({count});
    const int64_t taken = fill_block(count, error, [&](int64_t i) {
      if (!read()) return 0;
      fill(whole, i);
      return 1;
    });
    block = taken == count ? std::move(whole) : rows_of(whole, 0, taken);
    return taken;
  }
  int64_t skip(int64_t count) override {
    int64_t passed = 0;
    while (passed < count && read()) ++passed;
    return passed;
  }
  void save(StateWriter& state) override {
    state.number(static_cast<int64_t>(file_));
    state.number(reader_ != nullptr ? 1 : 0);
    if (reader_ == nullptr) return;
    state.number(static_cast<int64_t>(reader_->position()));
    state.number(reader_->next_line());
  }
  void restore(StateReader& state) override {
    file_ = std::min(static_cast<size_t>(state.count()), files_.size());
    if (state.number() == 0) return;
    const int64_t position = state.count(), line = state.count();
    require<DataLossError>(file_ > 0, "iterator: the saved state is damaged.");
    --file_;
    open();
    reader_->seek(static_cast<uint64_t>(position), line);
  }

 private:
  const std::string& file() const { return files_[file_ - 1]; }
  void open() {
    const std::string& name = files_[file_++];  // passed over if it cannot be opened
    const CsvOptions& options = layout_.options;
    auto reader = std::make_unique<io::CsvReader>(
        name, io::CsvReaderOptions{.field_delim = options.field_delim,
                                   .use_quote_delim = options.use_quote_delim,
                                   .header = options.header});
    if (options.header && options.column_names.empty())
      require(reader->header() == layout_.header,
              "{}: '{}' has other columns than '{}': {}; not {}.", stage().title(), name, files_[0],
              fmt::join(reader->header(), ", "), fmt::join(layout_.header, ", "));
    reader_ = std::move(reader);
  }
  /// The next record's fields; false at the end of all files.
  bool read() {
    for (;;) {
      if (reader_ == nullptr) {
        if (file_ == files_.size()) return false;
        open();
      }
      if (read_record()) return true;
      reader_.reset();
    }
  }
  bool read_record() {
    const uint64_t begin = reader_->position();
    try {
      if (!reader_->read(fields_)) return false;
    } catch (const DataLossError&) {
      // A record that is malformed is passed over; a file that cannot be read is left.
      if (reader_->position() == begin) reader_.reset();
      throw;
    }
    require(fields_.size() == layout_.header.size(),
            "{}: '{}', line {}: the record has {} fields, but there are {} columns.",
            stage().title(), file(), reader_->line(), fields_.size(), layout_.header.size());
    return true;
  }
  Row columns(const Shape& shape) const {
    Row row;
    row.reserve(layout_.columns.size());
    for (const CsvColumn& column : layout_.columns)
      row.push_back(Tensor::uninitialized({column.dtype, shape}));
    return row;
  }
  /// Writes the record as element `i` of columns.
  void fill(Row& row, int64_t i) const {
    for (size_t c = 0; c < row.size(); ++c) {
      const CsvColumn& column = layout_.columns[c];
      const std::string_view field = fields_[column.field];
      void* to = row[c].mutable_data();
      switch (column.dtype) {
        case int32: parse(field, column, static_cast<int32_t*>(to)[i]); break;
        case int64: parse(field, column, static_cast<int64_t*>(to)[i]); break;
        case float32: parse(field, column, static_cast<float*>(to)[i]); break;
        case float64: parse(field, column, static_cast<double*>(to)[i]); break;
        default: assign(field, column, static_cast<std::string*>(to)[i]);
      }
    }
  }
  template <class T>
  void parse(std::string_view field, const CsvColumn& column, T& value) const {
    if (layout_.is_missing(field)) {
      check_may_be_missing(column);
      value = column.missing.span<T>()[0];
    } else if (!parse_field(field, value)) {
      fail("{}: '{}', line {}, column '{}': '{}' is no {}.", stage().title(), file(),
           reader_->line(), column.name, field, column.dtype);
    }
  }
  void assign(std::string_view field, const CsvColumn& column, std::string& value) const {
    if (layout_.is_missing(field)) {
      check_may_be_missing(column);
      value = column.missing.span<std::string>()[0];
    } else {
      value.assign(field);
    }
  }
  void check_may_be_missing(const CsvColumn& column) const {
    if (column.required)
      fail("{}: '{}', line {}, column '{}': the field is empty, and the column has no default.",
           stage().title(), file(), reader_->line(), column.name);
  }

  const std::vector<std::string>& files_;
  const CsvLayout& layout_;
  size_t file_ = 0;  // the next to be opened
  std::unique_ptr<io::CsvReader> reader_;
  std::vector<std::string_view> fields_;
};

class CsvFiles final : public Stage {
 public:
  CsvFiles(const std::vector<std::string>& files, CsvLayout layout)
      : Stage("csv", layout.spec()), files_(files), layout_(std::move(layout)) {}
  int64_t cardinality() const override { return kUnknownCardinality; }
  WalkRef walk(const Context&) const override {
    return std::make_unique<CsvWalk>(*this, files_, layout_);
  }
  std::string details(int64_t) const override {
    return files_.size() == 1 ? fmt::format(": '{}'", files_[0])
                              : fmt::format(": {} files from '{}' on", files_.size(), files_[0]);
  }

 private:
  std::vector<std::string> files_;
  CsvLayout layout_;
};

}  // namespace

Dataset Dataset::csv(const std::vector<std::string>& files, const CsvOptions& options) {
  return Dataset(std::make_shared<CsvFiles>(files, CsvLayout(files, options)));
}

}  // namespace alula::data
