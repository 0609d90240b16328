#include "alula/io/csv.h"

#include <random>

#include "alula/io/mutations_test.h"
#include "alula/io/temporary_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

using Strings = std::vector<std::string>;

Strings split(std::string_view record, const CsvOptions& options = {}) {
  CsvSplitter splitter(options);
  const auto& fields = splitter.split(record);
  return {fields.begin(), fields.end()};
}

std::vector<Strings> read_all(CsvReader& reader) {
  std::vector<Strings> records;
  std::vector<std::string_view> fields;
  while (reader.read(fields)) records.emplace_back(fields.begin(), fields.end());
  return records;
}

CsvReader reader_of(std::string_view text, const CsvReaderOptions& options = {}) {
  return CsvReader(std::make_unique<MemoryReader>(text, "some.csv"), options);
}

std::vector<Strings> records_of(std::string_view text, const CsvReaderOptions& options = {}) {
  CsvReader reader = reader_of(text, options);
  return read_all(reader);
}

}  // namespace

TEST(CsvSplitter, SplitsAtDelimiters) {
  EXPECT_EQ(split("1,2.5,abc"), (Strings{"1", "2.5", "abc"}));
  EXPECT_EQ(split(",a,,"), (Strings{"", "a", "", ""}));
  EXPECT_EQ(split("a"), (Strings{"a"}));
  EXPECT_EQ(split(","), (Strings{"", ""}));
  EXPECT_EQ(split(""), Strings{});
  EXPECT_EQ(split("a b\tc,d", {.field_delim = '\t'}), (Strings{"a b", "c,d"}));
  EXPECT_EQ(split(std::string("a\0b,c", 5)), (Strings{std::string("a\0b", 3), "c"}));
}

TEST(CsvSplitter, HandlesQuotes) {
  EXPECT_EQ(split("\"a,b\",c"), (Strings{"a,b", "c"}));
  EXPECT_EQ(split("\"a\"\"b\",\"\"\"\",\"\",x"), (Strings{"a\"b", "\"", "", "x"}));
  EXPECT_EQ(split("\"two\nlines\",1"), (Strings{"two\nlines", "1"}));
  EXPECT_EQ(split("a,\"b\""), (Strings{"a", "b"}));
  EXPECT_EQ(split("a\"b,\"c,d\"", {.use_quote_delim = false}), (Strings{"a\"b", "\"c", "d\""}));
}

TEST(CsvSplitter, IgnoresLineEndsBeforeFieldsAsTensorFlowDoes) {
  EXPECT_EQ(split("\r\n1,\n2"), (Strings{"1", "2"}));
  EXPECT_EQ(split("\n"), Strings{});
  EXPECT_EQ(split("a,\n"), (Strings{"a"}));
}

TEST(CsvSplitter, SaysWhatIsWrong) {
  EXPECT_ERROR(split("a,b\"c"), InvalidArgumentError,
               "csv: field 1 has a quote inside. Put the field in quotes, and double those inside. "
               "Got it at character 3.");
  EXPECT_ERROR(split("1,\"2"), InvalidArgumentError,
               "csv: field 1 begins with a quote that is never closed. Close it. Got it at "
               "character 2.");
  EXPECT_ERROR(split("\"1\"2,3"), InvalidArgumentError,
               "csv: field 0 goes on behind its closing quote. Double the quotes inside a field. "
               "Got it at character 3.");
  EXPECT_ERROR(split("1,2\n"), InvalidArgumentError,
               "csv: field 1 has the end of a line inside. Put the field in quotes. Got it at "
               "character 3.");
  EXPECT_ERROR(split("1", {.field_delim = '"'}), InvalidArgumentError, "Got the character 34.");
  EXPECT_ERROR(split("1", {.field_delim = '\n'}), InvalidArgumentError, "Got the character 10.");
}

TEST(CsvReader, ReadsRecords) {
  const std::vector<Strings> expected = {{"a", "b"}, {"1", "2"}, {""}, {"3", ""}};
  EXPECT_EQ(records_of("a,b\n1,2\n\n3,\n"), expected);
  EXPECT_EQ(records_of("a,b\r\n1,2\r\n\r\n3,"), expected);
  EXPECT_EQ(records_of("a,b\r1,2\r\r3,\r"), expected);
  EXPECT_EQ(records_of("\xef\xbb\xbf"
                       "a,b\n1,2\n\n3,\n"),
            expected);
  EXPECT_EQ(records_of(""), std::vector<Strings>{});
  EXPECT_EQ(records_of("\n"), std::vector<Strings>{{""}});
  EXPECT_EQ(records_of("a;\"b\n;\"\n", {.field_delim = ';'}),
            (std::vector<Strings>{{"a", "b\n;"}}));
  EXPECT_EQ(records_of("\"a\n", {.use_quote_delim = false}), (std::vector<Strings>{{"\"a"}}));
}

TEST(CsvReader, HasAHeader) {
  CsvReader reader = reader_of("x,\"the y\"\n1,2\n", {.header = true});
  EXPECT_EQ(reader.header(), (Strings{"x", "the y"}));
  EXPECT_EQ(read_all(reader), (std::vector<Strings>{{"1", "2"}}));
  EXPECT_EQ(reader_of("", {.header = true}).header(), Strings{});
}

TEST(CsvReader, CountsLines) {
  CsvReader reader = reader_of("a\n\"b\r\n\n\",\"\r\"\r\nc\n");
  std::vector<std::string_view> fields;
  std::vector<int64_t> lines;
  while (reader.read(fields)) lines.push_back(reader.line());
  EXPECT_EQ(lines, (std::vector<int64_t>{1, 2, 6}));
}

TEST(CsvReader, SaysWhatIsWrongAndWhere) {
  EXPECT_ERROR(records_of("a\n\"b\n\"\nc,d\"\n"), DataLossError,
               "some.csv: line 4: field 1 has a quote inside. Put the field in quotes, and double "
               "those inside. The record begins at byte 7.");
  EXPECT_ERROR(records_of("a\n\"b\nc"), DataLossError,
               "some.csv: line 2: field 0 begins with a quote that is never closed.");
  EXPECT_ERROR(records_of("\"b\n\"c"), DataLossError, "some.csv: line 2: field 0 goes on behind");
  EXPECT_ERROR(CsvReader("/nonexistent/x.csv"), NotFoundError, "/nonexistent/x.csv");
}

TEST(CsvReader, GoesOnAtTheNextLineBehindAProblem) {
  const auto survivors = [](const std::string& text) {
    CsvReader reader = reader_of(text);
    std::vector<std::string> found;
    for (std::vector<std::string_view> fields;;) {
      try {
        if (!reader.read(fields)) return found;
        found.push_back(fmt::format("{}:{}", reader.line(), fmt::join(fields, "|")));
      } catch (const DataLossError&) {
        found.push_back("!");
      }
    }
  };
  EXPECT_EQ(survivors("a,b\nc,d\"e\nf,g\n"), (Strings{"1:a|b", "!", "3:f|g"}));
  EXPECT_EQ(survivors("a,b\r\nc,d\"e\r\nf,g"), (Strings{"1:a|b", "!", "3:f|g"}));
  EXPECT_EQ(survivors("\"a\n\"b\rc,d\r"), (Strings{"!", "3:c|d"}));
  EXPECT_EQ(survivors("a\n\"b\nc\n"), (Strings{"1:a", "!", "3:c"}));
  EXPECT_EQ(survivors("a\n\"b"), (Strings{"1:a", "!"}));
  // The rest of the line lies behind the reader's window.
  const std::string much(BufferedReader::kBufferBytes, 'x');
  EXPECT_EQ(survivors("a\"" + much + "\r\nb\n"), (Strings{"!", "2:b"}));
  for (const size_t short_of : {1, 2, 3})
    EXPECT_EQ(survivors("a\"" + much.substr(short_of + 1) + "\r\nb\n"), (Strings{"!", "2:b"}));
}

// Records of random lengths, some longer than the buffer, so that its ends fall everywhere.
TEST(CsvReader, IsNotConfusedByTheEndsOfItsBuffer) {
  std::mt19937 random(1);
  std::vector<Strings> records;
  std::string text;
  while (text.size() < 3 * BufferedReader::kBufferBytes) {
    Strings& record = records.emplace_back();
    for (size_t field = 0; field < 1 + random() % 4; ++field) {
      std::string& value = record.emplace_back();
      const size_t length = random() % 100 == 0 ? 200'000 : random() % 12;
      for (size_t i = 0; i < length; ++i) value += "ab,\"\n\r"[random() % 6];
      std::string quoted = "\"";
      for (char c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += (field > 0 ? "," : "") + quoted + "\"";
    }
    text += random() % 2 == 0 ? "\n" : "\r\n";
  }
  EXPECT_EQ(records_of(text), records);
}

TEST(CsvReader, GoesOnWhereItWas) {
  const TemporaryFolder folder;
  put(folder / "some.csv", "x,y\n1,\"\n2\"\n3,4\n5,6\n");
  CsvReader first(folder / "some.csv", {.header = true});
  std::vector<std::string_view> fields;
  first.read(fields);
  CsvReader second(folder / "some.csv", {.header = true});
  second.seek(first.position(), first.next_line());
  EXPECT_EQ(read_all(second), (std::vector<Strings>{{"3", "4"}, {"5", "6"}}));
  EXPECT_EQ(second.line(), 5);
  EXPECT_ERROR(second.seek(3, 1), InvalidArgumentError,
               "cannot go back to byte 3 from byte 19. Open the file anew.");
  EXPECT_ERROR(first.seek(1000, 1), DataLossError,
               "cannot go to byte 1000: the file ends at byte 19.");
}

TEST(CsvReader, SurvivesDamage) {
  std::mt19937 random(3);
  const std::string good = "a,\"b\"\"c\"\r\n\"d\ne\",,f\n\n1,2,3\n";
  for (int round = 0; round < 3000; ++round) {
    const std::string bad = alula::testing::mutated(good, random, {});
    try {
      records_of(bad);
    } catch (const DataLossError&) {
    }
  }
}
