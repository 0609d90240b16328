#include "alula/io/idx.h"

#include <algorithm>
#include <bit>
#include <span>

#include "alula/io/gzip.h"

// The format: two zero bytes, a byte that says the type of the elements, one that says the rank;
// each dimension in four bytes; the elements in row-major order. All numbers are big endian.
namespace alula::io {
namespace {

static_assert(std::endian::native == std::endian::little);

DType dtype_of_code(const std::string& name, uint8_t code) {
  switch (code) {
    case 0x08: return uint8;
    case 0x09: return int8;
    case 0x0B: return int16;
    case 0x0C: return int32;
    case 0x0D: return float32;
    case 0x0E: return float64;
    default: fail<DataLossError>("{}: IDX has no element type 0x{:02x}.", name, code);
  }
}

template <class T, class Swap>
void swap_each(void* data, int64_t count, Swap swap) {
  for (T& value : std::span(static_cast<T*>(data), static_cast<size_t>(count))) value = swap(value);
}

void from_big_endian(Tensor& tensor) {
  void* data = tensor.mutable_data();
  switch (size_of(tensor.dtype())) {
    case 2:
      swap_each<uint16_t>(data, tensor.size(), [](uint16_t x) { return __builtin_bswap16(x); });
      break;
    case 4:
      swap_each<uint32_t>(data, tensor.size(), [](uint32_t x) { return __builtin_bswap32(x); });
      break;
    case 8:
      swap_each<uint64_t>(data, tensor.size(), [](uint64_t x) { return __builtin_bswap64(x); });
      break;
    default: break;
  }
}

Spec read_header(ByteSource& source) {
  uint8_t magic[4];
  source.read_exactly(magic, sizeof(magic));
  require<DataLossError>(magic[0] == 0 && magic[1] == 0,
                         "{}: this is not an IDX file: it begins with the bytes {:02x} {:02x}, "
                         "not with 00 00.",
                         source.name(), magic[0], magic[1]);
  Spec spec{dtype_of_code(source.name(), magic[2]), {}};
  require<DataLossError>(magic[3] <= kMaxRank,
                         "{}: the data have {} dimensions; at most {} are supported.",
                         source.name(), magic[3], kMaxRank);
  for (int axis = 0; axis < magic[3]; ++axis) {
    uint32_t size = 0;
    source.read_exactly(&size, sizeof(size));
    spec.shape.push_back(__builtin_bswap32(size));
  }
  return spec;
}

/// Refuses a size that the rest of the source cannot hold, before memory is taken for it.
void check_size(const ByteSource& source, const Spec& spec) {
  uint64_t bytes = size_of(spec.dtype);
  bool overflows = false, empty = false;
  for (int64_t dim : spec.shape) {
    overflows |= __builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes);
    empty |= dim == 0;
  }
  require<DataLossError>(empty || (!overflows && bytes <= source.at_most()),
                         "{}: the file is cut short: its header says {}, but at most {} bytes "
                         "follow.",
                         source.name(), spec, source.at_most());
}

Tensor read(ByteSource& source) {
  const Spec spec = read_header(source);
  check_size(source, spec);
  Tensor tensor = Tensor::uninitialized(spec);
  source.read_exactly(tensor.mutable_data(), static_cast<size_t>(tensor.bytes()));
  source.expect_end();
  from_big_endian(tensor);
  return tensor;
}

}  // namespace

Tensor read_idx(const std::string& path) { return read(*open_maybe_gzip(path)); }

Tensor parse_idx(std::string_view bytes, const std::string& name) {
  return read(*maybe_gzip(bytes, name));
}

}  // namespace alula::io
