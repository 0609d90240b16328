#include "alula/io/record_reader.h"

#include <random>

#include "alula/io/crc32c.h"
#include "alula/io/mutations_test.h"
#include "alula/io/record_writer.h"
#include "alula/io/temporary_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

using Strings = std::vector<std::string>;

Strings rest_of(RecordReader& reader) {
  Strings records;
  for (std::string record; reader.read(record);) records.push_back(record);
  return records;
}

Strings records_of(std::string_view bytes) {
  RecordReader reader(std::make_unique<MemoryReader>(bytes, "some.tfrecord"));
  return rest_of(reader);
}

// Files of TensorFlow 2.21: tf.io.TFRecordWriter(path, compression) of the records below.
const Strings kRecords = {"first", "", "third recordthird recordthird record"};
const std::string kPlain(
    "\005\000\000\000\000\000\000\000\352\262\004>firstU\377#\345\000\000\000\000\000\000\000"
    "\000)\003\230\007\330\352\202\242$\000\000\000\000\000\000\000B+\200Mthird recordthird r"
    "ecordthird recorde\320v&",
    89);
const std::string kGzip(
    "\037\213\010\000\000\000\000\000\000\003ce\200\200W\233X\354\3222\213\212KB\377+\077\205"
    "\2121h2\317`\277\361\252i\221\012\224\357\244\335\340[\222\221Y\224\242P\224\232\234_"
    "\224\202\213\235z\241L\015\000a\235 PY\000\000\000",
    73);
const std::string kZlib(
    "x\234ce\200\200W\233X\354\3222\213\212KB\377+\077\205\2121h2\317`\277\361\252i\221\012"
    "\224\357\244\335\340[\222\221Y\224\242P\224\232\234_\224\202\213\235z\241L\015\000+\354"
    "\033v",
    61);

}  // namespace

TEST(RecordReader, ReadsFilesOfTensorFlow) {
  const TemporaryFolder folder;
  EXPECT_EQ(records_of(kPlain), kRecords);
  put(folder / "plain", kPlain);
  put(folder / "gz", kGzip);
  put(folder / "z", kZlib);
  for (const auto& [file, type] : {std::pair("plain", ""), {"gz", "GZIP"}, {"z", "ZLIB"}}) {
    RecordReader reader(folder / file, {.compression_type = type});
    EXPECT_EQ(rest_of(reader), kRecords) << file;
  }
  EXPECT_EQ(records_of(""), Strings{});
}

TEST(RecordReader, ReadsWhatIsWritten) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  Strings records;
  for (int i = 0; i < 300; ++i) {
    // Some larger than the reader's buffer.
    std::string& record = records.emplace_back(random() % 50 == 0 ? 700'000 : random() % 5000, ' ');
    for (char& byte : record) byte = static_cast<char>(random() % 11);
  }
  for (const char* type : {"", "GZIP", "ZLIB"}) {
    const std::string path = folder / "records";
    {
      RecordWriter writer(path, {.compression_type = type, .compression_level = 1});
      for (const std::string& record : records) writer.write(record);
    }
    RecordReader reader(path, {.compression_type = type});
    EXPECT_EQ(rest_of(reader), records) << type;
  }
}

TEST(RecordReader, SeesWhatIsFlushed) {
  const TemporaryFolder folder;
  for (const char* type : {"", "GZIP", "ZLIB"}) {
    RecordWriter writer(folder / "live", {.compression_type = type});
    writer.write("record");
    writer.flush();
    RecordReader reader(folder / "live", {.compression_type = type});
    std::string record;
    // What is compressed has no end yet.
    try {
      EXPECT_TRUE(reader.read(record));
    } catch (const DataLossError& error) {
      EXPECT_NE(std::string(error.what()).find("it is cut short"), std::string::npos);
    }
    writer.close();
    writer.close();
    EXPECT_ERROR(writer.write("late"), FailedPreconditionError, "is closed");
  }
}

TEST(RecordReader, GoesOnWhereItWas) {
  const TemporaryFolder folder;
  put(folder / "plain", kPlain);
  put(folder / "gz", kGzip);
  for (const auto& [file, type] : {std::pair("plain", ""), {"gz", "GZIP"}}) {
    RecordReader first(folder / file, {.compression_type = type});
    std::string record;
    EXPECT_TRUE(first.read(record));
    EXPECT_EQ(first.position(), 21u);
    RecordReader second(folder / file, {.compression_type = type});
    second.seek(first.position());
    EXPECT_EQ(rest_of(second), (Strings{kRecords[1], kRecords[2]}));
    EXPECT_ERROR(second.seek(0), InvalidArgumentError, "cannot go back to byte 0 from byte 89");
  }
}

TEST(RecordReader, GoesOnBehindADamagedRecord) {
  std::string bad = kPlain;
  bad[13] ^= 1;
  RecordReader reader(std::make_unique<MemoryReader>(bad, "some.tfrecord"));
  std::string record;
  EXPECT_ERROR(reader.read(record), DataLossError,
               "some.tfrecord: the record at byte 0 is damaged: its checksum is ba5399ce, not "
               "e523ff55. Write the file anew, or leave damaged records out (ignore_errors).");
  EXPECT_EQ(rest_of(reader), (Strings{kRecords[1], kRecords[2]}));
}

TEST(RecordReader, EndsWhereNothingCanBeFound) {
  std::string bad = kPlain;
  bad[21] ^= 1;
  RecordReader reader(std::make_unique<MemoryReader>(bad, "some.tfrecord"));
  std::string record;
  EXPECT_TRUE(reader.read(record));
  EXPECT_ERROR(reader.read(record), DataLossError,
               "some.tfrecord: the record at byte 21 is damaged: the checksum of its length is");
  EXPECT_FALSE(reader.read(record));
  EXPECT_ERROR(
      records_of(kPlain.substr(0, 30)), DataLossError,
      "some.tfrecord: the record at byte 21 is cut short: it takes 12 bytes, 9 are there.");
  EXPECT_ERROR(
      records_of(kPlain.substr(0, 80)), DataLossError,
      "some.tfrecord: the record at byte 37 is cut short: it takes 52 bytes, 43 are there.");
}

// A length with the right checksum can still be a lie.
TEST(RecordReader, TakesNoMemoryForLengthsThatCannotBe) {
  for (uint64_t length : {uint64_t{1} << 40, ~uint64_t{0}, ~uint64_t{0} - 16}) {
    std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
    const uint32_t checksum = masked(crc32c(bytes));
    bytes.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
    bytes += "few";
    EXPECT_ERROR(records_of(bytes), DataLossError, "is cut short");
  }
}

TEST(RecordReader, SurvivesDamage) {
  std::mt19937 random(5);
  int thrown = 0;
  for (int round = 0; round < 2000; ++round) {
    try {
      records_of(alula::testing::mutated(kPlain, random, {}));
    } catch (const DataLossError&) {
      ++thrown;
    }
  }
  EXPECT_GT(thrown, 1900);
}
