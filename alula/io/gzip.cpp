#include "alula/io/gzip.h"

#include <algorithm>
#include <limits>
#include <zlib.h>

#include "alula/core/error.h"

namespace alula::io {
namespace {

constexpr size_t kInputBytes = size_t{256} << 10;
constexpr uInt kLargestOutput = std::numeric_limits<uInt>::max();
/// Deflate's best: 258 bytes from two bits.
constexpr uint64_t kLargestRatio = 1032;

const char* name_of(DeflateFormat format) {
  switch (format) {
    case DeflateFormat::kGzip: return "gzip";
    case DeflateFormat::kZlib: return "zlib";
    default: return "deflated";
  }
}

std::string collect(ByteSource& source, uint64_t limit) {
  std::string bytes;
  size_t done = 0;
  // In steps that double, because nothing says how much there will be.
  for (uint64_t step = size_t{64} << 10;; step = std::max<uint64_t>(step, done)) {
    const uint64_t room = std::min<uint64_t>(step, limit - done) + 1;
    bytes.resize(done + room);
    const size_t count = source.read(bytes.data() + done, room);
    done += count;
    require<ResourceExhaustedError>(done <= limit,
                                    "{}: it decompresses to more than {} bytes. Raise the limit.",
                                    source.name(), limit);
    if (count < room) break;
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace

int window_bits(DeflateFormat format) {
  switch (format) {
    case DeflateFormat::kGzip: return 16 + MAX_WBITS;
    case DeflateFormat::kZlib: return MAX_WBITS;
    default: return -MAX_WBITS;
  }
}

GzipReader::GzipReader(std::unique_ptr<ByteSource> compressed, DeflateFormat format)
    : ByteSource(compressed->name()),
      compressed_(std::move(compressed)),
      format_(format),
      input_(new unsigned char[kInputBytes]),
      stream_(new z_stream{}) {
  require<ResourceExhaustedError>(inflateInit2(stream_.get(), window_bits(format)) == Z_OK,
                                  "{}: zlib could not be started.", name());
}

GzipReader::~GzipReader() { inflateEnd(stream_.get()); }

bool GzipReader::fill() {
  if (stream_->avail_in > 0) return true;
  stream_->next_in = input_.get();
  stream_->avail_in = static_cast<uInt>(compressed_->read(input_.get(), kInputBytes));
  return stream_->avail_in > 0;
}

size_t GzipReader::read(void* to, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const bool more = fill();
    if (member_ended_) {
      if (!more) break;
      // Only gzip files may be put one behind the other.
      if (format_ != DeflateFormat::kGzip) fail_with("there are bytes behind their end");
      if (inflateReset(stream_.get()) != Z_OK) fail_with("zlib could not be restarted");
      member_ended_ = false;
    }
    const uInt room = static_cast<uInt>(std::min<size_t>(bytes - done, kLargestOutput));
    stream_->next_out = static_cast<Bytef*>(to) + done;
    stream_->avail_out = room;
    const int status = inflate(stream_.get(), Z_NO_FLUSH);
    done += room - stream_->avail_out;
    if (status == Z_STREAM_END)
      member_ended_ = true;
    else if (status == Z_BUF_ERROR && !more)
      fail_with("it is cut short");
    else if (status != Z_OK && status != Z_BUF_ERROR)
      fail_with(stream_->msg != nullptr ? stream_->msg : "zlib cannot read it");
  }
  return done;
}

uint64_t GzipReader::at_most() const {
  const uint64_t left = compressed_->at_most();
  uint64_t total = 0;
  const bool overflows = __builtin_add_overflow(left, stream_->avail_in, &total) ||
                         __builtin_mul_overflow(total, kLargestRatio, &total) ||
                         // Zlib holds back a little of what it has read.
                         __builtin_add_overflow(total, uint64_t{64} << 10, &total);
  return overflows ? std::numeric_limits<uint64_t>::max() : total;
}

void GzipReader::fail_with(const char* reason) {
  fail<DataLossError>("{}: the {} data are damaged: {}.", name(), name_of(format_), reason);
}

Compression::Compression(std::string_view name) : compressed_(!name.empty()) {
  require(name.empty() || name == "GZIP" || name == "ZLIB",
          "compression_type: it must be \"\", \"GZIP\" or \"ZLIB\". Got \"{}\".", name);
  format_ = name == "ZLIB" ? DeflateFormat::kZlib : DeflateFormat::kGzip;
}

std::unique_ptr<ByteSource> open_compressed(const std::string& path, Compression compression) {
  auto file = std::make_unique<FileReader>(path);
  if (compression.is_none()) return file;
  return std::make_unique<GzipReader>(std::move(file), compression.format());
}

bool is_gzip(std::string_view beginning) { return beginning.starts_with("\x1f\x8b"); }

std::unique_ptr<ByteSource> open_maybe_gzip(const std::string& path) {
  // Opened twice, because what has been read of a file cannot be put back.
  char beginning[2];
  const size_t count = FileReader(path).read(beginning, sizeof(beginning));
  auto file = std::make_unique<FileReader>(path);
  if (!is_gzip({beginning, count})) return file;
  return std::make_unique<GzipReader>(std::move(file));
}

std::unique_ptr<ByteSource> maybe_gzip(std::string_view bytes, std::string name) {
  auto memory = std::make_unique<MemoryReader>(bytes, std::move(name));
  if (!is_gzip(bytes)) return memory;
  return std::make_unique<GzipReader>(std::move(memory));
}

std::string gunzip(std::string_view bytes, const GunzipOptions& options) {
  GzipReader reader(std::make_unique<MemoryReader>(bytes, options.name));
  return collect(reader, options.limit);
}

std::string read_gzip_file(const std::string& path, const GunzipOptions& options) {
  GzipReader reader(std::make_unique<FileReader>(path));
  return collect(reader, options.limit);
}

}  // namespace alula::io
