#include "alula/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <unordered_set>

#include "alula/io/file.h"
#include "alula/io/json.h"
#include "alula/io/utf8.h"

// The format: the length of the header in eight bytes, little endian; the header, a JSON object of
// {"dtype", "shape", "data_offsets": [begin, end]} by name and {"__metadata__": {text: text}}; then
// the elements, little endian, without gaps.
namespace alula::io {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMetadata = "__metadata__";
/// The reference's own limit.
constexpr uint64_t kMaxHeader = 100'000'000;
constexpr size_t kAlignment = 8;

struct DTypeName {
  DType dtype;
  std::string_view name;
};
constexpr DTypeName kDTypeNames[] = {
    {float16, "F16"}, {bfloat16, "BF16"}, {float32, "F32"},  {float64, "F64"}, {int8, "I8"},
    {int16, "I16"},   {int32, "I32"},     {int64, "I64"},    {uint8, "U8"},    {uint16, "U16"},
    {uint32, "U32"},  {uint64, "U64"},    {boolean, "BOOL"},
};

// ---- reading ---------------------------------------------------------------------------------

struct Entry {
  std::string name;
  Spec spec;
  uint64_t begin = 0;
  uint64_t end = 0;
};

class Reader {
 public:
  explicit Reader(ByteSource& source) : source_(source) {}

  SafeTensors read() {
    read_header(read_header_text());
    const std::vector<size_t> order = order_in_file();
    contents_.tensors.resize(entries_.size());
    for (size_t i : order) contents_.tensors[i] = read_tensor(entries_[i]);
    source_.expect_end();
    return std::move(contents_);
  }

 private:
  template <class... Args>
  void check(bool condition, fmt::format_string<Args...> text, Args&&... args) const {
    if (!condition) [[unlikely]]
      fail<DataLossError>("{}: {}", source_.name(), fmt::format(text, std::forward<Args>(args)...));
  }

  std::string read_header_text() {
    uint64_t length = 0;
    source_.read_exactly(&length, sizeof(length));
    check(length <= kMaxHeader && length <= source_.at_most(),
          "this is not a safetensors file, or it is cut short: its header would be {} bytes long.",
          length);
    std::string header(length, '\0');
    source_.read_exactly(header.data(), header.size());
    check(header.starts_with('{'), "this is not a safetensors file: no JSON object begins it.");
    return header;
  }

  void read_header(const std::string& text) {
    const Json header = Json::parse(text, source_.name());
    for (const auto& [name, value] : header.as_object()) {
      if (name == kMetadata)
        read_metadata(value);
      else
        read_entry(name, value);
    }
  }

  void read_metadata(const Json& value) {
    check(value.is_object(), "its metadata are not an object.");
    for (const auto& [key, text] : value.as_object()) {
      check(text.is_string(), "its metadata \"{}\" are not a string.", key);
      contents_.metadata.emplace_back(key, text.as_string());
    }
  }

  void read_entry(const std::string& name, const Json& value) {
    const char* wanted = "dtype, shape and data_offsets";
    check(value.is_object() && value.as_object().size() == 3, "the tensor \"{}\" must have {}.",
          name, wanted);
    const Json* dtype = value.find("dtype");
    const Json* shape = value.find("shape");
    const Json* offsets = value.find("data_offsets");
    check(dtype && shape && offsets && dtype->is_string(), "the tensor \"{}\" must have {}.", name,
          wanted);
    Entry entry{name, {dtype_named(name, dtype->as_string()), shape_of(name, *shape)}};
    const std::vector<int64_t> range = integers(name, *offsets);
    check(range.size() == 2 && range[0] <= range[1],
          "the data_offsets of the tensor \"{}\" must be two numbers that grow.", name);
    entry.begin = static_cast<uint64_t>(range[0]);
    entry.end = static_cast<uint64_t>(range[1]);
    check_size(entry);
    entries_.push_back(std::move(entry));
  }

  DType dtype_named(const std::string& name, std::string_view text) const {
    for (const DTypeName& known : kDTypeNames)
      if (known.name == text) return known.dtype;
    fail<UnimplementedError>("{}: the tensor \"{}\" is of the dtype {}, which is not supported.",
                             source_.name(), name, text);
  }

  /// Numbers that are neither negative nor fractions.
  std::vector<int64_t> integers(const std::string& name, const Json& json) const {
    std::vector<int64_t> values;
    check(json.kind() == Json::Kind::kArray, "the tensor \"{}\" must have lists of numbers.", name);
    for (const Json& value : json.as_array()) {
      check(value.kind() == Json::Kind::kInteger && value.as_integer() >= 0,
            "the tensor \"{}\" has a size or an offset that is not one.", name);
      values.push_back(value.as_integer());
    }
    return values;
  }

  Shape shape_of(const std::string& name, const Json& json) const {
    const std::vector<int64_t> dims = integers(name, json);
    require<UnimplementedError>(
        dims.size() <= static_cast<size_t>(kMaxRank),
        "{}: the tensor \"{}\" has {} dimensions; at most {} are supported.", source_.name(), name,
        dims.size(), kMaxRank);
    return Shape(dims);
  }

  void check_size(const Entry& entry) const {
    uint64_t bytes = size_of(entry.spec.dtype);
    bool overflows = false, empty = false;
    for (int64_t dim : entry.spec.shape) {
      overflows |= __builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes);
      empty |= dim == 0;
    }
    if (empty) bytes = 0;
    check((empty || !overflows) && bytes == entry.end - entry.begin,
          "the tensor \"{}\" is {}, which does not take the {} bytes that it has.", entry.name,
          entry.spec, entry.end - entry.begin);
  }

  /// The entries by where their elements lie, which must leave no gap and not overlap.
  std::vector<size_t> order_in_file() const {
    std::vector<size_t> order(entries_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(entries_[a].begin, entries_[a].end) <
             std::pair(entries_[b].begin, entries_[b].end);
    });
    uint64_t at = 0;
    for (size_t i : order) {
      const Entry& entry = entries_[i];
      check(entry.begin == at, "the elements of the tensor \"{}\" begin at {} instead of {}: {}.",
            entry.name, entry.begin, at, entry.begin < at ? "tensors overlap" : "there is a gap");
      at = entry.end;
    }
    check(at <= source_.at_most(),
          "the file is cut short: its tensors take {} bytes, at most {} are there.", at,
          source_.at_most());
    return order;
  }

  NamedTensor read_tensor(const Entry& entry) {
    Tensor tensor = Tensor::uninitialized(entry.spec);
    source_.read_exactly(tensor.mutable_data(), static_cast<size_t>(tensor.bytes()));
    if (entry.spec.dtype == boolean) check_bools(entry, tensor);
    return {entry.name, std::move(tensor)};
  }

  /// A bool that is neither 0 nor 1 is not a value that C++ may read.
  void check_bools(const Entry& entry, const Tensor& tensor) const {
    const auto* bytes = static_cast<const uint8_t*>(tensor.data());
    uint8_t all = 0;
    for (int64_t i = 0; i < tensor.size(); ++i) all |= bytes[i];
    check(all <= 1, "the tensor \"{}\" has bools that are neither 0 nor 1.", entry.name);
  }

  ByteSource& source_;
  std::vector<Entry> entries_;
  SafeTensors contents_;
};

// ---- writing ---------------------------------------------------------------------------------

constexpr const char* kWriter = "write_safetensors";

std::string_view name_for(const NamedTensor& named) {
  for (const DTypeName& known : kDTypeNames)
    if (known.dtype == named.tensor.dtype()) return known.name;
  fail("{}: the format has no strings. Got \"{}\" {}.", kWriter, named.name, named.tensor.spec());
}

void check_names(const SafeTensors& contents) {
  std::unordered_set<std::string_view> names{kMetadata}, keys;
  for (const auto& [name, tensor] : contents.tensors) {
    require(tensor.defined(), "{}: the tensor \"{}\" is not defined.", kWriter, name);
    require(names.insert(name).second, "{}: the name \"{}\" occurs twice or is the format's own.",
            kWriter, name);
  }
  for (const auto& [key, text] : contents.metadata)
    require(keys.insert(key).second, "{}: the metadata \"{}\" occur twice.", kWriter, key);
}

/// Larger elements first, so that each tensor lies at a multiple of its elements' size, as the
/// reference does it; readers may map the file. The header keeps the caller's order.
std::vector<size_t> aligned_order(const std::vector<NamedTensor>& tensors) {
  std::vector<size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return size_of(tensors[a].tensor.dtype()) > size_of(tensors[b].tensor.dtype());
  });
  return order;
}

Json entry_of(const NamedTensor& named, int64_t begin) {
  Json::Array shape;
  for (int64_t dim : named.tensor.shape()) shape.emplace_back(dim);
  return Json::Object{{"dtype", std::string(name_for(named))},
                      {"shape", std::move(shape)},
                      {"data_offsets", Json::Array{begin, begin + named.tensor.bytes()}}};
}

std::string header_of(const SafeTensors& contents, const std::vector<size_t>& order) {
  Json::Object header;
  if (!contents.metadata.empty()) {
    Json::Object metadata;
    for (const auto& [key, text] : contents.metadata) metadata.push_back({key, text});
    header.push_back({std::string(kMetadata), std::move(metadata)});
  }
  std::vector<int64_t> begins(order.size());
  int64_t at = 0;
  for (size_t i : order) {
    begins[i] = at;
    at += contents.tensors[i].tensor.bytes();
  }
  for (size_t i = 0; i < begins.size(); ++i)
    header.push_back({contents.tensors[i].name, entry_of(contents.tensors[i], begins[i])});
  std::string text = Json(std::move(header)).dump();
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  require(text.size() <= kMaxHeader, "{}: the names and metadata take {} bytes; at most {} do.",
          kWriter, text.size(), kMaxHeader);
  return text;
}

}  // namespace

const Tensor& SafeTensors::at(std::string_view name) const {
  for (const NamedTensor& named : tensors)
    if (named.name == name) return named.tensor;
  fail<NotFoundError>("safetensors: there is no tensor \"{}\" among the {}.", name, tensors.size());
}

SafeTensors read_safetensors(const std::string& path) {
  FileReader file(path);
  return Reader(file).read();
}

SafeTensors parse_safetensors(std::string_view bytes, const std::string& name) {
  MemoryReader memory(bytes, name);
  return Reader(memory).read();
}

void write_safetensors(const std::string& path, const SafeTensors& contents) {
  check_names(contents);
  const std::vector<size_t> order = aligned_order(contents.tensors);
  const std::string header = header_of(contents, order);
  const uint64_t length = header.size();
  AtomicFile file(path);
  file.write(&length, sizeof(length));
  file.write(header);
  for (size_t i : order) {
    const Tensor tensor = contents.tensors[i].tensor.cpu();
    file.write(tensor.data(), static_cast<size_t>(tensor.bytes()));
  }
  file.commit();
}

}  // namespace alula::io
