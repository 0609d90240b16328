#include "alula/io/deflate.h"

#include <random>

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;

namespace {

std::string inflate(std::string_view packed, DeflateFormat format, size_t size) {
  GzipReader reader(std::make_unique<MemoryReader>(packed, "packed"), format);
  std::string bytes(size + 1, '\0');
  bytes.resize(reader.read(bytes.data(), bytes.size()));
  return bytes;
}

}  // namespace

TEST(Deflate, IsReadBack) {
  std::mt19937 random(1);
  for (size_t size : {0, 1, 1000, 300'000}) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 7);
    EXPECT_EQ(gunzip(deflate(bytes)), bytes);
    for (auto format : {DeflateFormat::kGzip, DeflateFormat::kZlib, DeflateFormat::kRaw})
      for (int level : {-1, 0, 1, 9})
        EXPECT_EQ(inflate(deflate(bytes, {format, level}), format, size), bytes) << level;
  }
  EXPECT_ERROR(deflate("", {.level = 10}), InvalidArgumentError,
               "compression_level: it must be -1 or from 0 to 9. Got 10.");
}

TEST(Deflate, TakesPiecesAndFlushes) {
  Deflater deflater({.format = DeflateFormat::kZlib});
  std::string packed, bytes;
  for (int i = 0; i < 100; ++i) {
    deflater.write("piece ", packed);
    bytes += "piece ";
  }
  deflater.flush(packed);
  // All of it can be read, though the stream goes on.
  GzipReader reader(std::make_unique<MemoryReader>(packed, "packed"), DeflateFormat::kZlib);
  std::string so_far(bytes.size(), '\0');
  reader.read_exactly(so_far.data(), so_far.size());
  EXPECT_EQ(so_far, bytes);
  deflater.finish(packed);
  EXPECT_EQ(inflate(packed, DeflateFormat::kZlib, bytes.size()), bytes);
}

TEST(Deflate, HasNothingBehindItsEndButInGzip) {
  const std::string gzip = deflate("a"), zlib = deflate("a", {.format = DeflateFormat::kZlib});
  EXPECT_EQ(inflate(gzip + gzip, DeflateFormat::kGzip, 2), "aa");
  EXPECT_ERROR(inflate(zlib + zlib, DeflateFormat::kZlib, 2), DataLossError,
               "packed: the zlib data are damaged: there are bytes behind their end.");
}
