#include "alula/io/csv.h"

#include <algorithm>
#include <cstring>

#include "alula/core/error.h"

namespace alula::io {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool ends_line(char c) { return c == '\n' || c == '\r'; }

/// Lines begin behind \n, \r\n and \r.
int64_t count_lines(std::string_view text) {
  int64_t lines = 0;
  for (size_t i = 0; i < text.size(); ++i)
    lines += text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
  return lines;
}

}  // namespace

CsvSplitter::CsvSplitter(const CsvOptions& options) : options_(options) {
  const char delim = options.field_delim;
  require(!ends_line(delim) && (delim != '"' || !options.use_quote_delim),
          "csv: field_delim must not be a quote or the end of a line. Got the character {}.",
          static_cast<int>(static_cast<unsigned char>(delim)));
  special_[static_cast<unsigned char>(delim)] = true;
  special_['\n'] = special_['\r'] = true;
  if (options.use_quote_delim) special_['"'] = true;
}

void CsvSplitter::start(std::string_view bytes, bool last) {
  fields_.clear();
  unquoted_.clear();
  begin_ = at_ = bytes.data();
  end_ = bytes.data() + bytes.size();
  last_ = last;
  quoted_ = false;
}

CsvSplitter::After CsvSplitter::fail_at(const char* where, const char* what) {
  problem_ = {what, static_cast<size_t>(where - begin_), fields_.size()};
  return After::kProblem;
}

CsvSplitter::After CsvSplitter::after_field() {
  if (at_ == end_) return last_ ? After::kRecord : After::kMore;
  if (*at_ == options_.field_delim) {
    ++at_;
    return After::kField;
  }
  return After::kLineEnd;
}

CsvSplitter::After CsvSplitter::read_field() {
  if (options_.use_quote_delim && at_ != end_ && *at_ == '"') return read_quoted();
  return read_plain();
}

CsvSplitter::After CsvSplitter::read_plain() {
  const char* first = at_;
  while (at_ != end_ && !special_[static_cast<unsigned char>(*at_)]) ++at_;
  if (at_ != end_ && *at_ == '"' && options_.use_quote_delim)
    return fail_at(at_, "has a quote inside. Put the field in quotes, and double those inside.");
  fields_.emplace_back(first, static_cast<size_t>(at_ - first));
  return after_field();
}

CsvSplitter::After CsvSplitter::read_quoted() {
  const char* quote = at_++;
  quoted_ = true;
  const char* piece = at_;
  const size_t first_unquoted = unquoted_.size();
  bool doubled = false;
  for (;;) {
    at_ = static_cast<const char*>(std::memchr(at_, '"', static_cast<size_t>(end_ - at_)));
    if (at_ == nullptr) {
      at_ = end_;
      return last_ ? fail_at(quote, "begins with a quote that is never closed. Close it.")
                   : After::kMore;
    }
    if (at_ + 1 == end_ && !last_) return After::kMore;
    if (at_ + 1 == end_ || at_[1] != '"') break;
    // All that can come is reserved at once: earlier fields must not move.
    if (unquoted_.empty()) unquoted_.reserve(static_cast<size_t>(end_ - begin_));
    doubled = true;
    unquoted_.append(piece, at_ + 1);
    at_ += 2;
    piece = at_;
  }
  const char* behind = at_ + 1;
  if (behind != end_ && *behind != options_.field_delim && !ends_line(*behind))
    return fail_at(behind, "goes on behind its closing quote. Double the quotes inside a field.");
  if (doubled) {
    unquoted_.append(piece, at_);
    fields_.emplace_back(unquoted_.data() + first_unquoted, unquoted_.size() - first_unquoted);
  } else {
    fields_.emplace_back(piece, static_cast<size_t>(at_ - piece));
  }
  at_ = behind;
  return after_field();
}

bool CsvSplitter::try_split(std::string_view record) {
  start(record, true);
  if (record.empty()) return true;
  for (;;) {
    while (at_ != end_ && ends_line(*at_)) ++at_;
    // A delimiter at the end is followed by an empty field; ends of lines are not.
    if (at_ == end_ && (at_ == begin_ || ends_line(at_[-1]))) return true;
    switch (read_field()) {
      case After::kField: continue;
      case After::kLineEnd:
        fields_.pop_back();
        fail_at(at_, "has the end of a line inside. Put the field in quotes.");
        return false;
      case After::kProblem: return false;
      default: return true;
    }
  }
}

std::string CsvSplitter::problem() const {
  return fmt::format("field {} {} Got it at character {}.", problem_.field, problem_.what,
                     problem_.at);
}

const std::vector<std::string_view>& CsvSplitter::split(std::string_view record) {
  if (!try_split(record)) [[unlikely]]
    fail("csv: {}", problem());
  return fields_;
}

// ---- files -----------------------------------------------------------------------------------

CsvReader::CsvReader(const std::string& path, const CsvReaderOptions& options)
    : CsvReader(open_compressed(path, options.compression_type), options) {}

CsvReader::CsvReader(std::unique_ptr<ByteSource> source, const CsvReaderOptions& options)
    : input_(std::move(source)), splitter_({options.field_delim, options.use_quote_delim}) {
  // Spreadsheets put it in front of UTF-8.
  if (input_.extend_to(kByteOrderMark.size()) && input_.window().starts_with(kByteOrderMark))
    input_.consume(kByteOrderMark.size());
  std::vector<std::string_view> names;
  if (options.header && read(names)) header_.assign(names.begin(), names.end());
}

bool CsvReader::read(std::vector<std::string_view>& fields) {
  if (input_.window().empty() && !input_.extend()) return false;
  bool last = false;
  while (!parse(last)) last = !input_.extend();
  std::swap(fields, splitter_.fields_);
  return true;
}

bool CsvReader::parse(bool last) {
  CsvSplitter& record = splitter_;
  record.start(input_.window(), last);
  auto after = record.read_field();
  while (after == CsvSplitter::After::kField) after = record.read_field();
  if (after == CsvSplitter::After::kMore) return false;
  if (after == CsvSplitter::After::kProblem) fail_behind_problem();
  line_ = next_line_;
  if (after == CsvSplitter::After::kLineEnd) {
    const bool return_first = *record.at_++ == '\r';
    if (return_first && record.at_ == record.end_ && !last) return false;
    if (return_first && record.at_ != record.end_ && *record.at_ == '\n') ++record.at_;
  }
  const auto size = static_cast<size_t>(record.at_ - record.begin_);
  next_line_ += record.quoted_ ? count_lines({record.begin_, size}) : 1;
  input_.consume(size);
  return true;
}

void CsvReader::fail_behind_problem() {
  const size_t at = splitter_.problem_.at;
  const int64_t line = next_line_ + count_lines(input_.window().substr(0, at));
  const uint64_t begin = position();
  size_t end = input_.window().find_first_of("\r\n", at);
  while (end == std::string_view::npos && input_.extend())
    end = input_.window().find_first_of("\r\n", at);
  end = std::min(end, input_.window().size());
  // A \r may have its \n behind the window.
  if (end + 1 < input_.window().size() || input_.extend())
    end += input_.window().substr(end).starts_with("\r\n") ? 1 : 0;
  end = std::min(end + 1, input_.window().size());
  input_.consume(end);
  next_line_ = line + 1;
  fail<DataLossError>("{}: line {}: field {} {} The record begins at byte {}.", input_.name(), line,
                      splitter_.problem_.field, splitter_.problem_.what, begin);
}

void CsvReader::seek(uint64_t position, int64_t line) {
  input_.seek(position);
  line_ = 0;
  next_line_ = line;
}

}  // namespace alula::io
