#include "alula/io/idx.h"

#include "alula/io/mutations_test.h"
#include "alula/io/temporary_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

/// "000801 00000002 aabb" -> the bytes that it spells.
std::string hex(std::string_view text) {
  std::string digits, bytes;
  for (char c : text)
    if (c != ' ') digits += c;
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

Tensor parse(std::string_view text) { return parse_idx(hex(text), "some.idx"); }

}  // namespace

TEST(Idx, HasElementsOfEveryType) {
  const Tensor bytes = parse("00000802 00000002 00000003 01020304 05ff");
  EXPECT_EQ(to_string(bytes.spec()), "uint8[2,3]");
  EXPECT_EQ(bytes.to_vector<uint8_t>(), (std::vector<uint8_t>{1, 2, 3, 4, 5, 255}));
  EXPECT_EQ(parse("00000901 00000002 ff7f").to_vector<int8_t>(), (std::vector<int8_t>{-1, 127}));
  EXPECT_EQ(parse("00000B01 00000002 0102 fffe").to_vector<int16_t>(),
            (std::vector<int16_t>{258, -2}));
  EXPECT_EQ(parse("00000C01 00000001 01020304").to_vector<int32_t>(),
            (std::vector<int32_t>{0x01020304}));
  EXPECT_EQ(parse("00000D01 00000002 3fc00000 c0000000").to_vector<float>(),
            (std::vector<float>{1.5f, -2.f}));
  EXPECT_EQ(parse("00000E01 00000001 3ff8000000000000").to_vector<double>(),
            (std::vector<double>{1.5}));
}

TEST(Idx, HasAnyRank) {
  EXPECT_EQ(to_string(parse("00000800 07").spec()), "uint8[]");
  EXPECT_EQ(to_string(parse("00000804 00000001 00000002 00000001 00000001 0102").spec()),
            "uint8[1,2,1,1]");
  EXPECT_EQ(to_string(parse("00000E02 00000000 ffffffff").spec()), "float64[0,4294967295]");
  EXPECT_ERROR(parse("00000809 01"), DataLossError,
               "some.idx: the data have 9 dimensions; at most 8 are supported.");
}

TEST(Idx, SaysWhatIsWrong) {
  EXPECT_ERROR(
      parse("504b0304"), DataLossError,
      "some.idx: this is not an IDX file: it begins with the bytes 50 4b, not with 00 00.");
  EXPECT_ERROR(parse("00000A01 00000001 00"), DataLossError,
               "some.idx: IDX has no element type 0x0a.");
  EXPECT_ERROR(parse(""), DataLossError, "some.idx: the file is cut short: 4 more bytes");
  EXPECT_ERROR(parse("00000802 00000001 0000"), DataLossError, "cut short: 4 more bytes");
  EXPECT_ERROR(parse("00000B01 00000002 000000"), DataLossError,
               "some.idx: the file is cut short: its header says int16[2], but at most 3 bytes");
  EXPECT_ERROR(parse("00000801 00000002 010203"), DataLossError,
               "some.idx: there are bytes after the end of the data.");
  EXPECT_ERROR(parse("00000803 ffffffff ffffffff ffffffff 00"), DataLossError,
               "its header says uint8[4294967295,4294967295,4294967295], but at most 1 bytes");
  EXPECT_ERROR(read_idx("/nonexistent/x.idx"), NotFoundError, "/nonexistent/x.idx");
}

TEST(Idx, IsReadFromPlainAndCompressedFiles) {
  const TemporaryFolder folder;
  put(folder / "plain", hex("00000801 00000003 414243"));
  EXPECT_EQ(read_idx(folder / "plain").to_vector<uint8_t>(), (std::vector<uint8_t>{65, 66, 67}));
  // The same, by Python's gzip.compress(..., mtime=0).
  const std::string compressed =
      hex("1f8b0800000000000203 6360e060646060607674720600 de668252 0b000000");
  put(folder / "gz", compressed);
  EXPECT_EQ(read_idx(folder / "gz").to_vector<uint8_t>(), (std::vector<uint8_t>{65, 66, 67}));
  for (size_t i = compressed.size() - 8; i < compressed.size(); ++i) {
    std::string bad = compressed;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    put(folder / "bad", bad);
    EXPECT_ERROR(read_idx(folder / "bad"), DataLossError, folder / "bad" + ": the gzip data are");
  }
}

TEST(Idx, SurvivesDamage) {
  std::string good = hex("00000C03 00000002 00000003 00000002");
  good.append(48, 'x');
  const auto read = [](const std::string& bytes) { parse_idx(bytes, "damaged"); };
  EXPECT_GT(alula::testing::survive(good, read), 1000);
  EXPECT_GT(alula::testing::survive(good, read, {.seed = 2, .front = 16}), 2000);
}
