#include "alula/data/file_walk.h"
#include "alula/io/line_reader.h"

namespace alula::data {

Dataset Dataset::text_lines(const std::vector<std::string>& files, const TextLineOptions& options) {
  const io::LineReaderOptions how{.compression_type = options.compression_type};
  return Dataset(std::make_shared<FileStage<io::LineReader>>(
      "text_lines", files, [how](const std::string& file) { return io::LineReader(file, how); }));
}

}  // namespace alula::data
