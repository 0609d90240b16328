#include "alula/io/crc32c.h"
#include "alula/io/record_reader.h"
#include "fuzz/fuzz.h"

using namespace alula;

namespace {

/// Reads on behind damaged records, as far as there are any.
void read_all(std::unique_ptr<io::ByteSource> source) {
  io::RecordReader reader(std::move(source));
  std::string_view record;
  for (bool more = true; more;) {
    const uint64_t before = reader.position();
    try {
      more = reader.next(record);
    } catch (const Error&) {
    }
    fuzz::check(reader.position() > before || !more || !reader.next(record));
  }
}

/// The same bytes with checksums that match, as far as the lengths lead: a fuzzer cannot guess
/// them.
std::string with_checksums(std::string_view bytes) {
  std::string fixed(bytes);
  const auto put = [&](size_t at, std::string_view of) {
    const uint32_t checksum = io::masked(io::crc32c(of));
    fixed.replace(at, 4, reinterpret_cast<const char*>(&checksum), 4);
  };
  for (size_t at = 0; fixed.size() - at >= 12;) {
    uint64_t length = 0;
    std::memcpy(&length, fixed.data() + at, sizeof(length));
    put(at + 8, std::string_view(fixed).substr(at, 8));
    const size_t left = fixed.size() - at - 12;
    if (left < 4 || length > left - 4) break;
    put(at + 12 + length, std::string_view(fixed).substr(at + 12, length));
    at += 16 + length;
  }
  return fixed;
}

}  // namespace

// The first byte says how the rest is meant: as it is, with checksums put right, or compressed.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  return fuzz::parse(data + 1, size - 1, [&](std::string_view bytes) {
    const std::string fixed = data[0] % 4 == 1 ? with_checksums(bytes) : std::string(bytes);
    std::unique_ptr<io::ByteSource> source =
        std::make_unique<io::MemoryReader>(fixed, "fuzz.tfrecord");
    if (data[0] % 4 >= 2)
      source = std::make_unique<io::GzipReader>(std::move(source), data[0] % 4 == 2
                                                                       ? io::DeflateFormat::kGzip
                                                                       : io::DeflateFormat::kZlib);
    read_all(std::move(source));
  });
}
