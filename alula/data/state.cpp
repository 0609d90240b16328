#include "alula/data/state.h"

#include <bit>
#include <cstring>

#include "alula/core/fingerprint.h"
#include "alula/io/crc32c.h"

namespace alula::data {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr std::string_view kMagic = "alula iterator 1";

void append(std::string& bytes, uint64_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

[[noreturn]] void fail_damaged() {
  fail<DataLossError>("iterator: the saved state is damaged, or that of another pipeline.");
}

}  // namespace

void StateWriter::tag(std::string_view name) { text(name); }

void StateWriter::number(int64_t value) { append(bytes_, static_cast<uint64_t>(value)); }

void StateWriter::text(std::string_view value) {
  append(bytes_, value.size());
  bytes_ += value;
}

void StateWriter::tensor(const Tensor& value) {
  const Tensor host = value.cpu();
  number(static_cast<int64_t>(host.dtype()));
  number(host.rank());
  for (int64_t dim : host.shape()) number(dim);
  if (host.dtype() == string)
    for (const std::string& element : host.span<std::string>()) text(element);
  else if (host.size() > 0)
    bytes_.append(static_cast<const char*>(host.data()), static_cast<size_t>(host.bytes()));
}

void StateWriter::tensors(const std::vector<Tensor>& values) {
  number(static_cast<int64_t>(values.size()));
  for (const Tensor& value : values) tensor(value);
}

std::string_view StateReader::take(uint64_t count) {
  if (count > left_.size()) fail_damaged();
  const std::string_view taken = left_.substr(0, count);
  left_.remove_prefix(count);
  return taken;
}

void StateReader::tag(std::string_view name) {
  if (text() != name) fail_damaged();
}

int64_t StateReader::number() {
  int64_t value = 0;
  std::memcpy(&value, take(sizeof value).data(), sizeof value);
  return value;
}

int64_t StateReader::count() {
  const int64_t value = number();
  if (value < 0) fail_damaged();
  return value;
}

std::string StateReader::text() { return std::string(take(static_cast<uint64_t>(number()))); }

Tensor StateReader::tensor() {
  const int64_t dtype = number(), rank = number();
  if (dtype < 0 || dtype >= kDTypeCount || rank < 0 || rank > kMaxRank) fail_damaged();
  Shape shape;
  uint64_t elements = 1;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t dim = count();
    if (__builtin_mul_overflow(elements, static_cast<uint64_t>(dim), &elements)) fail_damaged();
    shape.push_back(dim);
  }
  const Spec spec{static_cast<DType>(dtype), shape};
  // An element takes a byte at least, a string the eight of its length.
  const uint64_t least = spec.dtype == string ? sizeof(uint64_t) : size_of(spec.dtype);
  if (elements > left_.size() / least) fail_damaged();
  Tensor value = Tensor::uninitialized(spec);
  if (spec.dtype == string)
    for (uint64_t i = 0; i < elements; ++i)
      static_cast<std::string*>(value.mutable_data())[i] = text();
  else if (elements > 0)
    std::memcpy(value.mutable_data(), take(elements * least).data(), elements * least);
  return value;
}

std::vector<Tensor> StateReader::tensors() {
  std::vector<Tensor> values;
  for (int64_t i = count(); i > 0; --i) values.push_back(tensor());
  return values;
}

std::string sealed(std::string_view pipeline, const std::string& state) {
  std::string bytes(kMagic);
  append(bytes, fingerprint(pipeline));
  bytes += state;
  append(bytes, io::crc32c(bytes));
  return bytes;
}

std::string_view unsealed(std::string_view pipeline, std::string_view bytes) {
  constexpr size_t kNumber = sizeof(uint64_t);
  require<DataLossError>(bytes.starts_with(kMagic) && bytes.size() >= kMagic.size() + 2 * kNumber,
                         "iterator: this is no saved state of an iterator.");
  uint64_t crc = 0, print = 0;
  std::memcpy(&crc, bytes.data() + bytes.size() - kNumber, kNumber);
  bytes.remove_suffix(kNumber);
  require<DataLossError>(crc == io::crc32c(bytes), "iterator: the saved state is damaged.");
  bytes.remove_prefix(kMagic.size());
  std::memcpy(&print, bytes.data(), kNumber);
  require(print == fingerprint(pipeline),
          "iterator: the state was saved by another pipeline than this one:\n{}", pipeline);
  bytes.remove_prefix(kNumber);
  return bytes;
}

}  // namespace alula::data
