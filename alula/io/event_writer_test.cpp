#include "alula/io/event_writer.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <unistd.h>

#include "alula/io/crc32c.h"
#include "alula/io/record_writer.h"
#include "alula/io/temporary_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;
using alula::testing::TemporaryFolder;

namespace {

template <class T>
T take(std::string_view& bytes) {
  T value{};
  if (bytes.size() < sizeof(T)) throw std::runtime_error("the bytes end too early");
  bytes.copy(reinterpret_cast<char*>(&value), sizeof(T));
  bytes.remove_prefix(sizeof(T));
  return value;
}

/// The records of a TFRecord file, their checksums compared.
std::vector<std::string> records_of(const std::string& path) {
  const std::string file = read_file(path);
  std::string_view left = file;
  std::vector<std::string> records;
  while (!left.empty()) {
    const std::string_view head = left.substr(0, 8);
    const auto length = take<uint64_t>(left);
    EXPECT_EQ(take<uint32_t>(left), masked(crc32c_by_table(head)));
    records.emplace_back(left.substr(0, length));
    left.remove_prefix(length);
    EXPECT_EQ(take<uint32_t>(left), masked(crc32c_by_table(records.back())));
  }
  return records;
}

uint64_t take_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = take<uint8_t>(bytes);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
}

/// A message's fields by number, each as it lies there; a varint as its eight bytes.
using Fields = std::multimap<int, std::string>;
Fields fields_of(std::string_view bytes) {
  Fields fields;
  while (!bytes.empty()) {
    const uint64_t key = take_varint(bytes);
    std::string value;
    switch (key & 7) {
      case 0: {
        const uint64_t number = take_varint(bytes);
        value.assign(reinterpret_cast<const char*>(&number), sizeof(number));
        break;
      }
      case 1:
        value = bytes.substr(0, 8);
        bytes.remove_prefix(8);
        break;
      case 2: {
        const uint64_t length = take_varint(bytes);
        value = bytes.substr(0, length);
        bytes.remove_prefix(length);
        break;
      }
      case 5:
        value = bytes.substr(0, 4);
        bytes.remove_prefix(4);
        break;
      default: ADD_FAILURE() << "wire type " << (key & 7);
    }
    fields.emplace(static_cast<int>(key >> 3), value);
  }
  return fields;
}

std::string only(const Fields& fields, int number) {
  EXPECT_EQ(fields.count(number), 1u) << number;
  return fields.count(number) == 1 ? fields.find(number)->second : std::string(8, '\0');
}

template <class T>
T number(const std::string& bytes) {
  std::string_view view = bytes;
  return take<T>(view);
}

/// What an event says of one value.
struct Summary {
  int64_t step;
  std::string tag;
  std::string plugin;
  int64_t data_class;
  Fields tensor;
};

Summary summary_of(const std::string& record) {
  const Fields event = fields_of(record);
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(number<double>(only(event, 1)), now, 100);
  const Fields value = fields_of(only(fields_of(only(event, 5)), 1));
  const Fields metadata = fields_of(only(value, 9));
  return {number<int64_t>(only(event, 2)), only(value, 1), only(fields_of(only(metadata, 1)), 1),
          number<int64_t>(only(metadata, 4)), fields_of(only(value, 8))};
}

struct Bucket {
  double left, right, count;
};

std::vector<Bucket> buckets_of(const Summary& summary) {
  const std::string content = only(summary.tensor, 4);
  std::vector<Bucket> buckets(content.size() / sizeof(Bucket));
  if (!buckets.empty()) std::memcpy(buckets.data(), content.data(), content.size());
  return buckets;
}

}  // namespace

TEST(RecordWriter, FramesRecords) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.tfrecord";
  const std::vector<std::string> records{"hello", "", std::string(300'000, 'x')};
  {
    RecordWriter writer(path);
    for (const std::string& record : records) writer.write(record);
  }
  EXPECT_EQ(records_of(path), records);
  // "hello", as TensorBoard's own code frames it.
  EXPECT_EQ(read_file(path).substr(0, 21),
            std::string("\x05\0\0\0\0\0\0\0\xea\xb2\x04\x3ehello\xbb\x1f\x1c\x19", 21));
}

TEST(EventWriter, BeginsWithItsVersion) {
  const TemporaryFolder folder;
  const EventWriter writer(folder / "a/b");
  EXPECT_TRUE(
      std::filesystem::path(writer.path()).filename().string().starts_with("events.out.tfevents."));
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  EXPECT_NE(writer.path().find(host), std::string::npos);
  // At once, so that TensorBoard sees the run.
  const std::vector<std::string> records = records_of(writer.path());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(only(fields_of(records[0]), 3), "brain.Event:2");
  const EventWriter other(folder / "a/b");
  EXPECT_NE(other.path(), writer.path());
}

TEST(EventWriter, WritesScalars) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  writer.scalar("loss", 0.25, 3);
  writer.scalar("\u00e9", -1e30, int64_t{1} << 40);
  EXPECT_EQ(records_of(writer.path()).size(), 1u);
  writer.flush();
  const std::vector<std::string> records = records_of(writer.path());
  ASSERT_EQ(records.size(), 3u);
  const Summary loss = summary_of(records[1]), other = summary_of(records[2]);
  EXPECT_EQ(loss.step, 3);
  EXPECT_EQ(loss.tag, "loss");
  EXPECT_EQ(loss.plugin, "scalars");
  EXPECT_EQ(loss.data_class, 1);
  EXPECT_EQ(number<int64_t>(only(loss.tensor, 1)), 1);  // DT_FLOAT
  EXPECT_EQ(only(loss.tensor, 2), "");                  // no dimensions
  EXPECT_EQ(number<float>(only(loss.tensor, 5)), 0.25f);
  EXPECT_EQ(other.step, int64_t{1} << 40);
  EXPECT_EQ(other.tag, "\u00e9");
  EXPECT_EQ(number<float>(only(other.tensor, 5)), -1e30f);
  EXPECT_ERROR(writer.scalar("\xff", 1, 1), InvalidArgumentError, "a tag must be UTF-8");
  writer.close();
  writer.close();
  EXPECT_ERROR(writer.scalar("loss", 1, 4), FailedPreconditionError, "is closed");
}

TEST(EventWriter, WritesText) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  writer.text("note", "some *text*", 0);
  writer.close();
  const Summary summary = summary_of(records_of(writer.path()).at(1));
  EXPECT_EQ(summary.plugin, "text");
  EXPECT_EQ(summary.data_class, 2);
  EXPECT_EQ(number<int64_t>(only(summary.tensor, 1)), 7);  // DT_STRING
  EXPECT_EQ(only(summary.tensor, 8), "some *text*");
}

TEST(EventWriter, WritesHistograms) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  writer.histogram("w", Tensor{0.f, 1.f, 1.5f, 2.f, 10.f, NAN, INFINITY}, 1, {.buckets = 5});
  writer.histogram("w", Tensor{7, 7, 7}, 2);
  writer.histogram("w", constant({}), 3);
  writer.histogram("w", Tensor{1e308, -1e308}, 4);
  writer.histogram("w", constant({-1.7e308, 1.7e308}, float64), 5);
  EXPECT_ERROR(writer.histogram("w", Tensor{"a"}, 1), InvalidArgumentError, "must be numbers");
  EXPECT_ERROR(writer.histogram("w", Tensor{1}, 1, {.buckets = 0}), InvalidArgumentError,
               "there must be a bucket. Got buckets 0.");
  writer.close();
  const std::vector<std::string> records = records_of(writer.path());
  const Summary first = summary_of(records.at(1));
  EXPECT_EQ(first.plugin, "histograms");
  EXPECT_EQ(number<int64_t>(only(first.tensor, 1)), 2);  // DT_DOUBLE
  const std::vector<Bucket> buckets = buckets_of(first);
  ASSERT_EQ(buckets.size(), 5u);
  const double counts[] = {3, 1, 0, 0, 1};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(buckets[i].left, 2 * i);
    EXPECT_EQ(buckets[i].right, 2 * i + 2);
    EXPECT_EQ(buckets[i].count, counts[i]);
  }
  const std::vector<Bucket> same = buckets_of(summary_of(records.at(2)));
  ASSERT_EQ(same.size(), 1u);
  EXPECT_EQ(same[0].left, 6.5);
  EXPECT_EQ(same[0].right, 7.5);
  EXPECT_EQ(same[0].count, 3);
  EXPECT_TRUE(buckets_of(summary_of(records.at(3))).empty());
  EXPECT_TRUE(buckets_of(summary_of(records.at(4))).empty());  // infinite as float32
  const std::vector<Bucket> wide = buckets_of(summary_of(records.at(5)));
  ASSERT_EQ(wide.size(), 30u);  // the range itself is beyond float64
  EXPECT_EQ(wide.front().count, 1);
  EXPECT_EQ(wide.back().count, 1);
}
