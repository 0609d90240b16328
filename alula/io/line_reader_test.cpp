#include "alula/io/line_reader.h"

#include <random>

#include "alula/io/deflate.h"
#include "alula/io/temporary_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

using Strings = std::vector<std::string>;

Strings rest_of(LineReader& reader) {
  Strings lines;
  for (std::string line; reader.read(line);) lines.push_back(line);
  return lines;
}

Strings lines_of(std::string_view text) {
  LineReader reader(std::make_unique<MemoryReader>(text, "some.txt"));
  return rest_of(reader);
}

}  // namespace

TEST(LineReader, SplitsLines) {
  EXPECT_EQ(lines_of("a\nb\n"), (Strings{"a", "b"}));
  EXPECT_EQ(lines_of("a\r\nb"), (Strings{"a", "b"}));
  EXPECT_EQ(lines_of(""), Strings{});
  EXPECT_EQ(lines_of("\n"), (Strings{""}));
  EXPECT_EQ(lines_of("\n\r\n\nx"), (Strings{"", "", "", "x"}));
  // As TensorFlow's, but that "c\rd" is "cd" there.
  EXPECT_EQ(lines_of("a\r\nb\nc\rd\n\n\r\ne\r\r\nlast\r"),
            (Strings{"a", "b", "c\rd", "", "", "e", "last"}));
}

TEST(LineReader, IsNotConfusedByTheEndsOfItsBuffer) {
  std::mt19937 random(1);
  Strings lines;
  std::string text;
  while (text.size() < 6 * BufferedReader::kBufferBytes) {
    const size_t length = random() % 100 == 0 ? 600'000 : random() % 80;
    lines.emplace_back(length, static_cast<char>('a' + random() % 26));
    text += lines.back() + (random() % 2 == 0 ? "\n" : "\r\n");
  }
  EXPECT_EQ(lines_of(text), lines);
}

TEST(LineReader, ReadsCompressedFilesAndGoesOnWhereItWas) {
  const TemporaryFolder folder;
  const std::string text = "one\ntwo\r\nthree\nfour";
  put(folder / "plain", text);
  put(folder / "gz", deflate(text));
  put(folder / "z", deflate(text, {.format = DeflateFormat::kZlib}));
  for (const auto& [file, type] : {std::pair("plain", ""), {"gz", "GZIP"}, {"z", "ZLIB"}}) {
    LineReader first(folder / file, {.compression_type = type});
    std::string line;
    EXPECT_TRUE(first.read(line) && first.read(line));
    EXPECT_EQ(first.position(), 9u);
    LineReader second(folder / file, {.compression_type = type});
    second.seek(first.position());
    EXPECT_EQ(rest_of(second), (Strings{"three", "four"})) << file;
    EXPECT_EQ(second.position(), text.size());
    EXPECT_ERROR(second.seek(3), InvalidArgumentError, "cannot go back to byte 3 from byte 19.");
    EXPECT_ERROR(first.seek(1000), DataLossError, "the file ends at byte 19.");
  }
  EXPECT_ERROR(LineReader(folder / "plain", {.compression_type = "BZIP"}), InvalidArgumentError,
               "compression_type: it must be \"\", \"GZIP\" or \"ZLIB\". Got \"BZIP\".");
  LineReader wrong(folder / "plain", {.compression_type = "ZLIB"});
  std::string line;
  EXPECT_ERROR(wrong.read(line), DataLossError, "plain: the zlib data are damaged:");
}
