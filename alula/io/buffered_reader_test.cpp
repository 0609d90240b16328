#include "alula/io/buffered_reader.h"

#include "alula/io/deflate.h"
#include "alula/io/temporary_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

BufferedReader reader_of(std::string_view text, size_t capacity) {
  return BufferedReader(std::make_unique<MemoryReader>(text, "some"), capacity);
}

}  // namespace

TEST(BufferedReader, MovesAWindow) {
  BufferedReader reader = reader_of("0123456789", 3);
  EXPECT_EQ(reader.window(), "");
  EXPECT_TRUE(reader.extend());
  EXPECT_EQ(reader.window(), "0123");
  reader.consume(2);
  EXPECT_EQ(reader.position(), 2u);
  EXPECT_EQ(reader.at_most(), 8u);
  EXPECT_TRUE(reader.extend());
  EXPECT_EQ(reader.window(), "2345");
  EXPECT_TRUE(reader.extend());  // no room is left: it makes some
  EXPECT_EQ(reader.window(), "23456789");
  EXPECT_FALSE(reader.extend());
  EXPECT_EQ(reader.window(), "23456789");
}

TEST(BufferedReader, ExtendsToASize) {
  BufferedReader reader = reader_of("0123456789", 2);
  EXPECT_TRUE(reader.extend_to(1));
  reader.consume(1);
  EXPECT_TRUE(reader.extend_to(9));
  EXPECT_EQ(reader.window(), "123456789");
  EXPECT_FALSE(reader.extend_to(10));
  EXPECT_FALSE(reader.extend_to(~size_t{0}));
}

TEST(BufferedReader, SkipsWithinTheWindowAndBehindIt) {
  const TemporaryFolder folder;
  const std::string text = "0123456789abcdef";
  put(folder / "plain", text);
  put(folder / "gz", deflate(text));
  for (bool compressed : {false, true}) {
    BufferedReader reader(
        compressed ? open_compressed(folder / "gz", "GZIP") : open_compressed(folder / "plain", ""),
        4);
    EXPECT_TRUE(reader.extend());
    EXPECT_EQ(reader.skip(2), 2u);
    EXPECT_EQ(reader.skip(8), 8u);
    EXPECT_TRUE(reader.extend());
    EXPECT_TRUE(reader.window().starts_with("abcd"));
    reader.seek(15);
    EXPECT_TRUE(reader.extend_to(1));
    EXPECT_EQ(reader.window(), "f");
    EXPECT_EQ(reader.skip(10), 1u);
    EXPECT_EQ(reader.position(), 16u);
    EXPECT_EQ(reader.skip(1), 0u);
  }
}
