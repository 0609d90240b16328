#include "alula/data/tfrecords.h"

#include <filesystem>
#include <unistd.h>

#include "alula/data/file_walk.h"
#include "alula/io/record_reader.h"
#include "alula/io/record_writer.h"

namespace alula::data {

Dataset Dataset::tfrecords(const std::vector<std::string>& files, const TFRecordOptions& options) {
  const io::RecordReaderOptions how{.compression_type = options.compression_type};
  return Dataset(std::make_shared<FileStage<io::RecordReader>>(
      "tfrecords", files, [how](const std::string& file) { return io::RecordReader(file, how); }));
}

int64_t write_tfrecords(const Dataset& dataset, const std::string& path,
                        const TFRecordOptions& options) {
  require(dataset.element_spec() == ElementSpec{{}, {{string, {}}}},
          "write_tfrecords: the elements must be strings, string[]. Got {}. Make strings of them "
          "with map.",
          dataset.element_spec());
  const std::string partial = fmt::format("{}.{}.partial", path, getpid());
  struct Removes {
    const std::string& file;
    ~Removes() {
      std::error_code ignored;
      std::filesystem::remove(file, ignored);
    }
  } removes{partial};
  io::RecordWriter writer(partial, {.compression_type = options.compression_type});
  int64_t count = 0;
  Iterator elements = dataset.iterator();
  for (Row row; elements.next(row); ++count) writer.write(row[0].cpu().span<std::string>()[0]);
  writer.close();
  std::error_code error;
  std::filesystem::rename(partial, path, error);
  require<FailedPreconditionError>(!error, "write_tfrecords: '{}' cannot be put in its place: {}.",
                                   path, error.message());
  return count;
}

}  // namespace alula::data
