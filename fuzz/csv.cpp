#include "alula/io/csv.h"

#include "fuzz/fuzz.h"

using namespace alula::io;

namespace {

/// All records.
std::vector<std::vector<std::string>> records_of(std::string_view bytes,
                                                 const CsvReaderOptions& options) {
  CsvReader reader(std::make_unique<MemoryReader>(bytes, "fuzz.csv"), options);
  std::vector<std::vector<std::string>> records;
  std::vector<std::string_view> fields;
  while (reader.read(fields)) {
    alula::fuzz::check(!fields.empty() && reader.line() > 0);
    records.emplace_back(fields.begin(), fields.end());
  }
  alula::fuzz::check(reader.position() == bytes.size());
  return records;
}

std::string written(const std::vector<std::vector<std::string>>& records, char delim) {
  std::string text;
  for (const auto& record : records) {
    for (size_t i = 0; i < record.size(); ++i) {
      if (i > 0) text += delim;
      text += '"';
      for (char c : record[i]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += '"';
    }
    text += "\r\n";
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const char delim = (data[0] & 1) != 0 ? ';' : ',';
  const bool quotes = (data[0] & 2) == 0;
  alula::fuzz::parse(data + 1, size - 1, [&](std::string_view bytes) {
    CsvSplitter({.field_delim = delim, .use_quote_delim = quotes}).split(bytes);
  });
  return alula::fuzz::parse(data + 1, size - 1, [&](std::string_view bytes) {
    const auto records = records_of(bytes, {.field_delim = delim, .use_quote_delim = quotes});
    const std::string again = written(records, delim);
    alula::fuzz::check(records_of(again, {.field_delim = delim}) == records);
  });
}
