#include "alula/io/proto_reader.h"

#include <limits>
#include <vector>

#include "alula/io/protobuf.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;

namespace {

void read_all(std::string_view bytes) {
  for (ProtoReader message(bytes, "m"); message.next();) {
  }
}

}  // namespace

TEST(ProtoReader, ReadsWhatIsWritten) {
  ProtoWriter writer;
  writer.integer(1, -1).float64(2, 0.5).float32(3, -2.f).text(4, "text").integer(300, 300);
  ProtoReader reader(writer.bytes(), "m");
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.is(1, WireType::kVarint));
  EXPECT_EQ(reader.integer(), -1);
  EXPECT_EQ(reader.text(), "");
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.is(2, WireType::kFixed64));
  EXPECT_EQ(reader.float64(), 0.5);
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.is(3, WireType::kFixed32));
  EXPECT_FALSE(reader.is(3, WireType::kVarint));
  EXPECT_EQ(reader.float32(), -2.f);
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.is(4, WireType::kText));
  EXPECT_EQ(reader.text(), "text");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.field(), 300);
  EXPECT_EQ(reader.number(), 300u);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(ProtoReader({}, "m").next());
}

TEST(ProtoReader, ReadsPackedNumbersAndMessages) {
  const std::vector<int64_t> numbers = {0, 127, 128, -1, std::numeric_limits<int64_t>::max()};
  ProtoWriter inner, outer;
  inner.packed(1, numbers).text(2, std::string_view("\0\0\x80\x3f\0\0\0\0", 8));
  outer.message(7, inner);
  ProtoReader reader(outer.bytes(), "m");
  ASSERT_TRUE(reader.next());
  ProtoReader message = reader.message();
  ASSERT_TRUE(message.next());
  EXPECT_EQ(message.position(), 2u);
  std::vector<int64_t> read;
  message.each_varint([&](uint64_t value) { read.push_back(static_cast<int64_t>(value)); });
  EXPECT_EQ(read, numbers);
  ASSERT_TRUE(message.next());
  std::vector<float> floats;
  message.each_fixed<float>([&](float value) { floats.push_back(value); });
  EXPECT_EQ(floats, (std::vector<float>{1.f, 0.f}));
}

TEST(ProtoReader, SkipsGroups) {
  // Field 1: a group with a number, a group and a text in it; then field 2.
  const std::string bytes("\x0b\x08\x05\x13\x1d....\x14\x22\x01x\x0c\x10\x07", 16);
  ProtoReader reader(bytes, "m");
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.is(1, WireType::kGroup));
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.is(2, WireType::kVarint));
  EXPECT_EQ(reader.number(), 7u);
  EXPECT_ERROR(read_all(std::string(200, '\x0b')), DataLossError, "nested too deeply");
  EXPECT_ERROR(read_all("\x0b\x14"), DataLossError, "a group ends that did not begin");
  EXPECT_ERROR(read_all("\x0c"), DataLossError, "a field has a type that there is not");
  EXPECT_ERROR(read_all("\x0b\x08\x01"), DataLossError, "a group has no end");
}

TEST(ProtoReader, SaysWhereAMessageIsDamaged) {
  EXPECT_ERROR(read_all("\x08\x01\x10"), DataLossError,
               "m: the message is damaged at byte 3: it ends in the middle of a number.");
  EXPECT_ERROR(read_all("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), DataLossError,
               "damaged at byte 1: a number has more than ten bytes.");
  EXPECT_ERROR(read_all("\x22\x05"
                        "abc"),
               DataLossError, "damaged at byte 0: a field is longer than it.");
  EXPECT_ERROR(read_all("\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), DataLossError,
               "is longer than");
  EXPECT_ERROR(read_all("\x09"
                        "1234567"),
               DataLossError, "a field is longer than it");
  EXPECT_ERROR(read_all("\x0d"
                        "123"),
               DataLossError, "a field is longer than it");
  EXPECT_ERROR(read_all(std::string(1, '\0')), DataLossError, "there is no field of that number");
  EXPECT_ERROR(read_all("\xff\xff\xff\xff\xff\x01"), DataLossError, "no field of that number");
  EXPECT_ERROR(read_all("\x0e"), DataLossError, "a field has a type that there is not");
  ProtoReader packed(
      "\x0a\x03"
      "abc",
      "m");
  ASSERT_TRUE(packed.next());
  EXPECT_ERROR(packed.each_fixed<float>([](float) {}), DataLossError,
               "damaged at byte 0: packed numbers end in the middle of one.");
  ProtoReader numbers("\x0a\x01\x80", "m");
  ASSERT_TRUE(numbers.next());
  EXPECT_ERROR(numbers.each_varint([](uint64_t) {}), DataLossError,
               "damaged at byte 2: it ends in the middle of a number.");
}
