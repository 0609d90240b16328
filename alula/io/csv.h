#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alula/io/buffered_reader.h"
#include "alula/io/gzip.h"

namespace alula::io {

struct CsvOptions {
  char field_delim = ',';
  /// Whether a field may stand in quotes ("a ""quoted"" word"), and then hold delimiters and ends
  /// of lines. If not, a quote is a character like others.
  bool use_quote_delim = true;
};

/// Splits records of comma-separated values (RFC 4180), nothing copied but fields with doubled
/// quotes.
///   CsvSplitter().split("a,\"b,\"\"c\",")  ->  {"a", "b,\"c", ""}
class CsvSplitter {
 public:
  explicit CsvSplitter(const CsvOptions& options = {});

  /// The fields of one record, as TensorFlow's decode_csv sees them: ends of lines before a field
  /// are left out, and those inside one are an error unless it is quoted; an empty record has no
  /// fields. They are valid until the next call, as long as the record. Returns whether it was
  /// well formed; `problem` says what is wrong if not.
  bool try_split(std::string_view record);
  /// The same; throws InvalidArgumentError.
  const std::vector<std::string_view>& split(std::string_view record);

  const std::vector<std::string_view>& fields() const { return fields_; }
  /// "field 2 has a quote inside. …"
  std::string problem() const;

 private:
  friend class CsvReader;
  enum class After { kField, kLineEnd, kRecord, kMore, kProblem };
  struct Problem {
    const char* what = nullptr;
    size_t at = 0;
    size_t field = 0;
  };

  /// Reads a field at `at_`, and says what follows it: another one, the end of a line, the end of
  /// the bytes, or that more bytes are needed to know (if they are not the `last_`).
  After read_field();
  After read_plain();
  After read_quoted();
  After after_field();
  After fail_at(const char* where, const char* what);
  void start(std::string_view bytes, bool last);

  CsvOptions options_;
  std::array<bool, 256> special_{};  // what ends a run of ordinary characters
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // fields that are not in the record as they are meant
  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool last_ = true;
  bool quoted_ = false;  // whether a field of this record was
  Problem problem_;
};

struct CsvReaderOptions {
  char field_delim = ',';
  bool use_quote_delim = true;
  /// Whether the first record has the names of the columns.
  bool header = false;
  Compression compression_type = {};  // of a file that is given by its path
};

/// The records of a file of comma-separated values, one after the other. Lines end in \n, \r\n or
/// \r; a quoted field may go over several. An empty line is a record of one empty field. What is
/// not well formed throws DataLossError that names file and line; the next line is read then.
///   CsvReader reader("prices.csv", {.header = true});
///   std::vector<std::string_view> fields;
///   while (reader.read(fields)) …
class CsvReader {
 public:
  explicit CsvReader(const std::string& path, const CsvReaderOptions& options = {});
  explicit CsvReader(std::unique_ptr<ByteSource> source, const CsvReaderOptions& options = {});

  /// The names of the columns, if the file has a header.
  const std::vector<std::string>& header() const { return header_; }
  /// The next record; false at the end. The fields are valid until the next call.
  bool read(std::vector<std::string_view>& fields);
  /// The line on which the record that was read last began, counted from 1.
  int64_t line() const { return line_; }
  /// Where the next record begins, and on which line: what `seek` takes.
  uint64_t position() const { return input_.position(); }
  int64_t next_line() const { return next_line_; }
  /// Goes on at a position of an earlier reader of the same file. Only forward.
  void seek(uint64_t position, int64_t line);

 private:
  /// Splits the record at the beginning of the window; false if more is needed to see its end.
  bool parse(bool last);
  [[noreturn, gnu::cold]] void fail_behind_problem();

  BufferedReader input_;
  CsvSplitter splitter_;
  std::vector<std::string> header_;
  int64_t line_ = 0;
  int64_t next_line_ = 1;
};

}  // namespace alula::io
