#include "alula/data/tfrecords.h"

#include "alula/data/dataset_test.h"
#include "alula/io/file.h"
#include "alula/io/record_writer.h"
#include "alula/io/temporary_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

void write(const std::string& path, const std::vector<std::string>& records,
           const char* compression = "") {
  io::RecordWriter writer(path, {.compression_type = compression});
  for (const std::string& record : records) writer.write(record);
  writer.close();
}

std::vector<std::string> strings(const Dataset& dataset) {
  std::vector<std::string> all;
  for (const Element& element : dataset) all.push_back(element.tensor().item<std::string>());
  return all;
}

}  // namespace

TEST(TFRecords, ReadsRecords) {
  const TemporaryFolder folder;
  write(folder / "a", {"one", "", "three"});
  write(folder / "b", {"four"});
  const Dataset records = Dataset::tfrecords({folder / "a", folder / "b"});
  EXPECT_EQ(strings(records), (std::vector<std::string>{"one", "", "three", "four"}));
  expect_same_in_blocks(records);
  expect_restores_everywhere(records);
  expect_restores_everywhere(records.batch(3));
  EXPECT_ERROR(Dataset::tfrecords({}), InvalidArgumentError, "tfrecords: there is no file.");
}

TEST(TFRecords, ReadsCompressedFiles) {
  const TemporaryFolder folder;
  write(folder / "a", {"one", "two", "three"}, "GZIP");
  const Dataset records = Dataset::tfrecords({folder / "a"}, {.compression_type = "GZIP"});
  EXPECT_EQ(strings(records), (std::vector<std::string>{"one", "two", "three"}));
  expect_restores_everywhere(records);
}

TEST(TFRecords, NamesFileAndByteOfADamagedRecordAndGoesOnBehindIt) {
  const TemporaryFolder folder;
  write(folder / "a", {"one", "two", "three"});
  std::string bytes = io::read_file(folder / "a");
  const size_t second = bytes.find("two");
  bytes[second] = 'T';
  put(folder / "a", bytes);
  const Dataset records = Dataset::tfrecords({folder / "a"});
  EXPECT_ERROR(texts(records), DataLossError,
               fmt::format("{}: the record at byte {} is damaged", folder / "a", second - 12));
  EXPECT_EQ(strings(records.ignore_errors()), (std::vector<std::string>{"one", "three"}));
  EXPECT_EQ(texts(records.ignore_errors().batch(2)).size(), 1u);
  // What is left of a file that is cut short, and the file behind it.
  put(folder / "a", bytes.substr(0, bytes.size() - 2));
  write(folder / "b", {"four"});
  EXPECT_EQ(strings(Dataset::tfrecords({folder / "a", folder / "b"}).ignore_errors()),
            (std::vector<std::string>{"one", "four"}));
}

TEST(TFRecords, AreWritten) {
  const TemporaryFolder folder;
  const Dataset words = Dataset::from_tensor_slices(Tensor{"a", "bb", ""});
  EXPECT_EQ(write_tfrecords(words, folder / "w"), 3);
  EXPECT_EQ(strings(Dataset::tfrecords({folder / "w"})), (std::vector<std::string>{"a", "bb", ""}));
  EXPECT_EQ(write_tfrecords(words, folder / "z", {.compression_type = "ZLIB"}), 3);
  EXPECT_EQ(strings(Dataset::tfrecords({folder / "z"}, {.compression_type = "ZLIB"})).size(), 3u);
  EXPECT_ERROR(write_tfrecords(Dataset::range(3), folder / "n"), InvalidArgumentError,
               "write_tfrecords: the elements must be strings, string[]. Got int64[].");
  EXPECT_EQ(folder.count(), 2);
}
