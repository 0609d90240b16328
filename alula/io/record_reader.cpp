#include "alula/io/record_reader.h"

#include <bit>
#include <cstring>
#include <limits>

#include "alula/core/error.h"
#include "alula/io/crc32c.h"

// The format of a record: its length in eight bytes, the length's checksum, the bytes, their
// checksum; all numbers are little endian.
namespace alula::io {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr size_t kHead = 12;
constexpr size_t kTail = 4;

template <class T>
T number_at(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

}  // namespace

RecordReader::RecordReader(const std::string& path, const RecordReaderOptions& options)
    : RecordReader(open_compressed(path, options.compression_type)) {}

bool RecordReader::read(std::string& record) {
  std::string_view found;
  if (!next(found)) return false;
  record.assign(found);
  return true;
}

bool RecordReader::next(std::string_view& record) {
  if (ended_) return false;
  ended_ = true;  // unless the next record can be found
  uint64_t length = 0;
  if (!read_length(length)) return false;
  if (length > std::numeric_limits<uint64_t>::max() - kHead - kTail) fail_cut_short(length);
  const uint64_t whole = kHead + length + kTail;
  if (input_.window().size() < whole && !input_.extend_to(whole)) fail_cut_short(whole);
  const uint64_t position = input_.position();
  record = input_.window().substr(kHead, length);
  input_.consume(whole);
  ended_ = false;
  const auto expected = number_at<uint32_t>(record.data() + length);
  const uint32_t found = masked(crc32c(record));
  require<DataLossError>(
      found == expected,
      "{}: the record at byte {} is damaged: its checksum is {:08x}, not {:08x}. "
      "Write the file anew, or leave damaged records out (ignore_errors).",
      input_.name(), position, found, expected);
  return true;
}

bool RecordReader::read_length(uint64_t& length) {
  if (input_.window().size() < kHead && !input_.extend_to(kHead)) {
    // `extend_to` gives up without reading when a source says that too little is left.
    if (input_.window().empty() && !input_.extend()) return false;
    fail_cut_short(kHead);
  }
  const char* head = input_.window().data();
  length = number_at<uint64_t>(head);
  const uint32_t found = masked(crc32c({head, sizeof(length)}));
  const auto expected = number_at<uint32_t>(head + sizeof(length));
  require<DataLossError>(
      found == expected,
      "{}: the record at byte {} is damaged: the checksum of its length is "
      "{:08x}, not {:08x}, so that no later record can be found. Is it a TFRecord "
      "file, and compression_type right?",
      input_.name(), position(), found, expected);
  return true;
}

void RecordReader::fail_cut_short(uint64_t wanted) {
  fail<DataLossError>("{}: the record at byte {} is cut short: it takes {} bytes, {} are there.",
                      input_.name(), position(), wanted, input_.window().size());
}

void RecordReader::seek(uint64_t position) {
  input_.seek(position);
  ended_ = false;
}

}  // namespace alula::io
