#include "alula/io/gzip.h"

#include <cstring>
#include <random>
#include <zlib.h>

#include "alula/io/mutations_test.h"
#include "alula/io/temporary_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// Half of it compresses well, half does not.
std::string sample(size_t size) {
  std::mt19937 random(5);
  std::string bytes(size, 'a');
  for (size_t i = 0; i < size; ++i)
    if (i / 1000 % 2 == 0) bytes[i] = static_cast<char>(random());
  return bytes;
}

}  // namespace

TEST(Gzip, Decompresses) {
  for (size_t size : {0, 1, 100, 65'535, 65'536, 65'537, 1'000'000}) {
    const std::string bytes = sample(size);
    EXPECT_EQ(gunzip(gzip(bytes)), bytes) << size;
  }
  // "hello\n" by the gzip program, with its name in the header.
  const unsigned char hello[] = {0x1f, 0x8b, 0x08, 0x08, 0x5d, 0x22, 0x11, 0x65, 0x00, 0x03,
                                 'h',  0x00, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xe7, 0x02, 0x00,
                                 0x20, 0x30, 0x3a, 0x36, 0x06, 0x00, 0x00, 0x00};
  EXPECT_EQ(gunzip({reinterpret_cast<const char*>(hello), sizeof(hello)}), "hello\n");
}

TEST(Gzip, DecompressesSeveralMembers) {
  const std::string a = sample(70'000), b = sample(10);
  EXPECT_EQ(gunzip(gzip(a) + gzip(b) + gzip("") + gzip("x")), a + b + "x");
}

TEST(Gzip, ReadsPiecesOfAnySize) {
  const std::string bytes = sample(600'000), compressed = gzip(bytes);
  std::mt19937 random(2);
  const auto source = maybe_gzip(compressed, "memory");
  std::string read;
  for (;;) {
    std::string piece(random() % 5000 + 1, '\0');
    const size_t count = source->read(piece.data(), piece.size());
    EXPECT_GE(source->at_most(), bytes.size() - read.size() - count);
    read.append(piece, 0, count);
    if (count < piece.size()) break;
  }
  EXPECT_EQ(read, bytes);
  EXPECT_EQ(source->read(read.data(), 10), 0u);
}

TEST(Gzip, OpensPlainFilesToo) {
  const TemporaryFolder folder;
  const std::string bytes = sample(3000);
  for (const std::string& content : {bytes, gzip(bytes), std::string(), std::string("\x1f")}) {
    put(folder / "a", content);
    const std::string expected = is_gzip(content) ? bytes : content;
    for (const auto& source : {open_maybe_gzip(folder / "a"), maybe_gzip(content, "memory")}) {
      std::string read(5000, '\0');
      read.resize(source->read(read.data(), read.size()));
      EXPECT_EQ(read, expected);
    }
  }
  put(folder / "a", gzip(bytes));
  EXPECT_EQ(read_gzip_file(folder / "a"), bytes);
  EXPECT_ERROR(open_maybe_gzip(folder / "none"), NotFoundError, folder / "none");
}

TEST(Gzip, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.gz", good = gzip(sample(5000));
  const auto damaged = [&](size_t at) -> const std::string& {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    put(path, bad);
    return path;
  };
  const std::string prefix = path + ": the gzip data are damaged: ";
  EXPECT_ERROR(read_gzip_file(damaged(0)), DataLossError, prefix + "incorrect header check");
  EXPECT_ERROR(read_gzip_file(damaged(good.size() - 1)), DataLossError,
               prefix + "incorrect length check");
  EXPECT_ERROR(read_gzip_file(damaged(good.size() - 5)), DataLossError,
               prefix + "incorrect data check");
  put(path, good + "garbage");
  EXPECT_ERROR(read_gzip_file(path), DataLossError, prefix);
  put(path, good.substr(0, good.size() - 1));
  EXPECT_ERROR(read_gzip_file(path), DataLossError, prefix + "it is cut short.");
  put(path, "");
  EXPECT_ERROR(read_gzip_file(path), DataLossError, prefix + "it is cut short.");
}

TEST(Gzip, HasALimit) {
  std::string zeros;
  zeros.resize(10'000'000);
  const std::string bomb = gzip(zeros);
  EXPECT_LT(bomb.size(), 11'000u);
  EXPECT_ERROR(gunzip(bomb, {.limit = 1'000'000, .name = "bomb"}), ResourceExhaustedError,
               "bomb: it decompresses to more than 1000000 bytes. Raise the limit.");
  EXPECT_EQ(gunzip(bomb, {.limit = 10'000'000}).size(), 10'000'000u);
  EXPECT_ERROR(gunzip(bomb, {.limit = 9'999'999}), ResourceExhaustedError, "more than 9999999");
  EXPECT_ERROR(gunzip(gzip("a"), {.limit = 0}), ResourceExhaustedError, "more than 0 bytes");
  EXPECT_EQ(gunzip(gzip(""), {.limit = 0}), "");
}

TEST(Gzip, SurvivesDamage) {
  const std::string good = gzip(sample(1500));
  const int thrown = alula::testing::survive(good, [](const std::string& bytes) { gunzip(bytes); });
  EXPECT_GT(thrown, 2900);  // nearly all damage is noticed; a header's time may change freely
}
