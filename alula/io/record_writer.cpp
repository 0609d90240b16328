#include "alula/io/record_writer.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "alula/core/error.h"
#include "alula/core/log.h"
#include "alula/io/crc32c.h"

namespace alula::io {

static_assert(std::endian::native == std::endian::little);

RecordWriter::RecordWriter(const std::string& path, const RecordWriterOptions& options)
    : file_(path, options.existing) {
  if (!options.compression_type.is_none())
    deflater_ = std::make_unique<Deflater>(
        DeflaterOptions{options.compression_type.format(), options.compression_level});
}

RecordWriter::~RecordWriter() {
  try {
    close();
  } catch (const Error& error) {
    logging::warn("The last records of {} are lost: {}", path(), error.what());
  }
}

void RecordWriter::put(std::string_view bytes) {
  if (deflater_ == nullptr) {
    file_.write(bytes);
    return;
  }
  packed_.clear();
  deflater_->write(bytes, packed_);
  file_.write(packed_);
}

void RecordWriter::write(std::string_view record) {
  const uint64_t length = record.size();
  char head[12];
  std::memcpy(head, &length, sizeof(length));
  const uint32_t length_crc = masked(crc32c({head, sizeof(length)}));
  std::memcpy(head + sizeof(length), &length_crc, sizeof(length_crc));
  const uint32_t data_crc = masked(crc32c(record));
  char tail[sizeof(data_crc)];
  std::memcpy(tail, &data_crc, sizeof(data_crc));
  put({head, sizeof(head)});
  put(record);
  put({tail, sizeof(tail)});
}

void RecordWriter::flush() {
  if (deflater_ != nullptr) {
    packed_.clear();
    deflater_->flush(packed_);
    file_.write(packed_);
  }
  file_.flush();
}

void RecordWriter::close() {
  if (deflater_ != nullptr) {
    packed_.clear();
    deflater_->finish(packed_);
    deflater_.reset();
    file_.write(packed_);
  }
  file_.close();
}

}  // namespace alula::io
