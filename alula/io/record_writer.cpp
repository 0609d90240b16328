#include "alula/io/record_writer.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "alula/core/error.h"
#include "alula/core/log.h"
#include "alula/io/crc32c.h"

namespace alula::io {

static_assert(std::endian::native == std::endian::little);

RecordWriter::~RecordWriter() {
  try {
    close();
  } catch (const Error& error) {
    logging::warn("The last records of {} are lost: {}", path(), error.what());
  }
}

void RecordWriter::write(std::string_view record) {
  const uint64_t length = record.size();
  char head[12];
  std::memcpy(head, &length, sizeof(length));
  const uint32_t length_crc = masked(crc32c({head, sizeof(length)}));
  std::memcpy(head + sizeof(length), &length_crc, sizeof(length_crc));
  const uint32_t data_crc = masked(crc32c(record));
  file_.write(head, sizeof(head));
  file_.write(record);
  file_.write(&data_crc, sizeof(data_crc));
}

}  // namespace alula::io
