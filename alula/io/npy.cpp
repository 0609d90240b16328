#include "alula/io/npy.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "alula/io/npy_header.h"
#include "alula/io/utf8.h"

namespace alula::io {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr const char* kWriter = "save_npy";

// ---- reading ---------------------------------------------------------------------------------

/// Refuses a size that the rest of the source cannot hold, before memory is taken for it.
void check_size(const ByteSource& source, const NpyHeader& header) {
  uint64_t bytes = header.element_bytes;
  bool overflows = false, empty = false;
  for (int64_t dim : header.spec.shape) {
    overflows |= __builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes);
    empty |= dim == 0;
  }
  require<DataLossError>(empty || (!overflows && bytes <= source.at_most()),
                         "{}: the file is cut short: its header says {}, but at most {} bytes "
                         "follow.",
                         source.name(), header.spec, source.at_most());
}

template <class T, class Swap>
void swap_each(void* data, size_t count, Swap swap) {
  for (T& value : std::span(static_cast<T*>(data), count)) value = swap(value);
}

void swap_bytes(void* data, size_t count, size_t element) {
  switch (element) {
    case 2:
      swap_each<uint16_t>(data, count, [](uint16_t x) { return __builtin_bswap16(x); });
      break;
    case 4:
      swap_each<uint32_t>(data, count, [](uint32_t x) { return __builtin_bswap32(x); });
      break;
    case 8:
      swap_each<uint64_t>(data, count, [](uint64_t x) { return __builtin_bswap64(x); });
      break;
    default: break;
  }
}

/// Calls fn(position in the file) for each element of a tensor, in row-major order.
template <class Fn>
void each_position(const NpyHeader& header, Fn fn) {
  const Shape& shape = header.spec.shape;
  const int64_t count = shape.size();
  if (!header.fortran_order || shape.rank() < 2) {
    for (int64_t i = 0; i < count; ++i) fn(i);
    return;
  }
  int64_t strides[kMaxRank], index[kMaxRank] = {};
  int64_t stride = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    strides[axis] = stride;
    if (count > 0) stride *= shape[axis];
  }
  const int last = shape.rank() - 1;
  for (int64_t done = 0, at = 0; done < count; done += shape[last]) {
    for (int64_t i = 0; i < shape[last]; ++i) fn(at + i * strides[last]);
    for (int axis = last - 1; axis >= 0; --axis) {
      at += strides[axis];
      if (++index[axis] < shape[axis]) break;
      at -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

template <class T>
void reorder_as(const NpyHeader& header, const Tensor& from, Tensor& to) {
  const T* source = static_cast<const T*>(from.data());
  T* target = static_cast<T*>(to.mutable_data());
  each_position(header, [&](int64_t position) { *target++ = source[position]; });
}

Tensor from_fortran_order(const NpyHeader& header, const Tensor& from) {
  Tensor to = Tensor::uninitialized(header.spec);
  switch (header.element_bytes) {
    case 1: reorder_as<uint8_t>(header, from, to); break;
    case 2: reorder_as<uint16_t>(header, from, to); break;
    case 4: reorder_as<uint32_t>(header, from, to); break;
    default: reorder_as<uint64_t>(header, from, to); break;
  }
  return to;
}

Tensor read_numbers(ByteSource& source, const NpyHeader& header) {
  Tensor tensor = Tensor::uninitialized(header.spec);
  const auto count = static_cast<size_t>(tensor.size());
  source.read_exactly(tensor.mutable_data(), static_cast<size_t>(tensor.bytes()));
  if (header.big_endian) swap_bytes(tensor.mutable_data(), count, header.element_bytes);
  if (header.spec.dtype == boolean) {
    // A bool that is neither 0 nor 1 is not a value that C++ may read.
    const auto* bytes = static_cast<const uint8_t*>(tensor.data());
    const bool good = std::all_of(bytes, bytes + count, [](uint8_t byte) { return byte <= 1; });
    require<DataLossError>(good, "{}: there are bools that are neither 0 nor 1.", source.name());
  }
  return header.fortran_order && tensor.rank() > 1 ? from_fortran_order(header, tensor) : tensor;
}

/// UTF-8 of a fixed number of code points in four bytes each; zeros behind the last are padding.
void append_unicode(const ByteSource& source, std::span<const uint32_t> points, std::string& text) {
  while (!points.empty() && points.back() == 0) points = points.first(points.size() - 1);
  for (uint32_t point : points) {
    require<DataLossError>(point <= 0x10ffff && (point < 0xd800 || point > 0xdfff),
                           "{}: a string has the character {:#x}, which Unicode has not.",
                           source.name(), point);
    append_utf8(text, point);
  }
}

Tensor read_strings(ByteSource& source, const NpyHeader& header) {
  const auto count = static_cast<size_t>(header.spec.shape.size());
  const size_t width = header.element_bytes;
  // Whole words, so that code points can be read where they lie.
  std::vector<uint32_t> raw((count * width + 3) / 4);
  source.read_exactly(raw.data(), count * width);
  if (header.big_endian && header.elements == NpyHeader::Elements::kUnicode)
    swap_bytes(raw.data(), raw.size(), 4);
  Tensor tensor = Tensor::uninitialized(header.spec);
  auto* text = static_cast<std::string*>(tensor.mutable_data());
  each_position(header, [&](int64_t position) {
    const size_t begin = static_cast<size_t>(position) * width;
    if (header.elements == NpyHeader::Elements::kUnicode) {
      append_unicode(source, std::span(raw).subspan(begin / 4, width / 4), *text++);
      return;
    }
    const std::string_view bytes(reinterpret_cast<const char*>(raw.data()) + begin, width);
    *text++ = bytes.substr(0, bytes.find_last_not_of('\0') + 1);
  });
  return tensor;
}

// ---- writing ---------------------------------------------------------------------------------

std::string_view descr_of(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case boolean: return "|b1";
    case int8: return "|i1";
    case int16: return "<i2";
    case int32: return "<i4";
    case int64: return "<i8";
    case uint8: return "|u1";
    case uint16: return "<u2";
    case uint32: return "<u4";
    case uint64: return "<u8";
    case float16: return "<f2";
    case float32: return "<f4";
    case float64: return "<f8";
    default:
      fail("{}: NumPy has no such dtype. Got {}. Cast the tensor, to float32 for one.", kWriter,
           tensor.spec());
  }
}

NpyParts parts_of_strings(const Tensor& tensor) {
  size_t width = 1;
  for (const std::string& text : tensor.span<std::string>()) {
    require(!text.ends_with('\0'),
            "{}: NumPy takes zero bytes at the end of a string for padding. Got one of {} bytes. "
            "Store such data as uint8.",
            kWriter, text.size());
    width = std::max(width, text.size());
  }
  NpyParts parts{npy_header(fmt::format("|S{}", width), tensor.shape()), tensor, {}};
  for (const std::string& text : tensor.span<std::string>()) {
    parts.strings += text;
    parts.strings.append(width - text.size(), '\0');
  }
  return parts;
}

}  // namespace

Tensor read_npy(ByteSource& source) {
  const NpyHeader header = read_npy_header(source);
  check_size(source, header);
  Tensor tensor = header.elements == NpyHeader::Elements::kNumbers ? read_numbers(source, header)
                                                                   : read_strings(source, header);
  source.expect_end();
  return tensor;
}

Tensor load_npy(const std::string& path) {
  FileReader file(path);
  return read_npy(file);
}

Tensor parse_npy(std::string_view bytes, const std::string& name) {
  MemoryReader memory(bytes, name);
  return read_npy(memory);
}

NpyParts npy_parts(const Tensor& tensor) {
  const Tensor host = tensor.cpu();
  if (host.dtype() == string) return parts_of_strings(host);
  return {npy_header(descr_of(host), host.shape()), host, {}};
}

void save_npy(const std::string& path, const Tensor& tensor) {
  const NpyParts parts = npy_parts(tensor);
  AtomicFile file(path);
  file.write(parts.head);
  file.write(parts.body());
  file.commit();
}

}  // namespace alula::io
