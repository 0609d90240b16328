#include "alula/io/deflate.h"

#include <algorithm>
#include <limits>
#include <zlib.h>

#include "alula/core/error.h"

namespace alula::io {
namespace {

constexpr size_t kOutputBytes = size_t{64} << 10;
constexpr size_t kLargestInput = std::numeric_limits<uInt>::max();
constexpr int kMemoryLevel = 8;  // zlib's own choice

}  // namespace

Deflater::Deflater(const DeflaterOptions& options)
    : stream_(new z_stream{}), output_(std::make_unique_for_overwrite<char[]>(kOutputBytes)) {
  require(options.level >= -1 && options.level <= 9,
          "compression_level: it must be -1 or from 0 to 9. Got {}.", options.level);
  const int status = deflateInit2(stream_.get(), options.level, Z_DEFLATED,
                                  window_bits(options.format), kMemoryLevel, Z_DEFAULT_STRATEGY);
  require<ResourceExhaustedError>(status == Z_OK, "deflate: zlib could not be started.");
}

Deflater::~Deflater() { deflateEnd(stream_.get()); }

void Deflater::run(std::string_view bytes, int mode, std::string& packed) {
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_->avail_in = static_cast<uInt>(bytes.size());
  // A call that leaves room in the output has done all that it was asked to.
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(output_.get());
    stream_->avail_out = static_cast<uInt>(kOutputBytes);
    const int status = ::deflate(stream_.get(), mode);
    packed.append(output_.get(), kOutputBytes - stream_->avail_out);
    require<InternalError>(status != Z_STREAM_ERROR, "deflate: the stream has ended already.");
  } while (stream_->avail_out == 0);
}

void Deflater::write(std::string_view bytes, std::string& packed) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kLargestInput);
    run(piece, Z_NO_FLUSH, packed);
    bytes.remove_prefix(piece.size());
  }
}

void Deflater::flush(std::string& packed) { run({}, Z_SYNC_FLUSH, packed); }

void Deflater::finish(std::string& packed) { run({}, Z_FINISH, packed); }

std::string deflate(std::string_view bytes, const DeflaterOptions& options) {
  std::string packed;
  Deflater deflater(options);
  deflater.write(bytes, packed);
  deflater.finish(packed);
  return packed;
}

}  // namespace alula::io
