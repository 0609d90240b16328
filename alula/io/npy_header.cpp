#include "alula/io/npy_header.h"

#include <cctype>
#include <charconv>
#include <limits>

#include "alula/core/error.h"

// The format: "\x93NUMPY", the version in two bytes, the length of the text in two bytes (version
// 1) or four, then the text, a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape':
// (2,)}.
namespace alula::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
/// Far above what an array without fields needs.
constexpr uint32_t kLongestHeader = 1u << 20;
/// What the whole header is a multiple of.
constexpr size_t kAlignment = 64;
/// NumPy leaves room for the first dimension to grow.
constexpr size_t kGrowth = 21;
/// The longest string that an element may have: beyond it a size is damage.
constexpr uint64_t kLongestString = uint64_t{1} << 31;

/// Reads the few forms of Python that a header has.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader parse() {
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted();
      expect(':');
      read_value(key);
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    check(at_ == text_.size(), "something follows the dictionary");
    check(has_descr_ && has_order_ && has_shape_, "descr, fortran_order or shape is missing");
    return header_;
  }

 private:
  [[noreturn, gnu::cold]] void fail_here(const char* what) const {
    fail<DataLossError>("{}: the header of the array is damaged: {}, at character {} of its text.",
                        name_, what, at_);
  }
  void check(bool condition, const char* what) const {
    if (!condition) [[unlikely]]
      fail_here(what);
  }

  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char wanted) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) fail_here("it is not the dictionary that NumPy writes");
  }
  bool take_word(std::string_view word) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string_view quoted() {
    skip_spaces();
    check(at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"'), "a string is missing");
    const size_t end = text_.find(text_[at_], at_ + 1);
    check(end != std::string_view::npos, "a string has no end");
    const std::string_view found = text_.substr(at_ + 1, end - at_ - 1);
    check(found.find('\\') == std::string_view::npos, "a string has an escape");
    at_ = end + 1;
    return found;
  }

  void read_value(std::string_view key) {
    if (key == "descr" && !has_descr_) {
      read_descr();
      has_descr_ = true;
    } else if (key == "fortran_order" && !has_order_) {
      header_.fortran_order = take_word("True");
      check(header_.fortran_order || take_word("False"), "fortran_order is not True or False");
      has_order_ = true;
    } else if (key == "shape" && !has_shape_) {
      read_shape();
      has_shape_ = true;
    } else {
      fail_here("a key is unknown or occurs twice");
    }
  }

  void read_shape() {
    expect('(');
    while (!take(')')) {
      skip_spaces();
      int64_t dim = 0;
      const char* first = text_.data() + at_;
      const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), dim);
      check(error == std::errc() && dim >= 0, "a dimension is not a size");
      at_ += static_cast<size_t>(end - first);
      take('L');  // Python 2 wrote long integers so
      require<UnimplementedError>(header_.spec.rank() < kMaxRank,
                                  "{}: the array has more than {} dimensions, which is not "
                                  "supported.",
                                  name_, kMaxRank);
      header_.spec.shape.push_back(dim);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
  }

  void read_descr() {
    skip_spaces();
    require<UnimplementedError>(at_ == text_.size() || text_[at_] != '[',
                                "{}: the array's elements are records with fields, which is not "
                                "supported. Save each field as an array of its own.",
                                name_);
    const std::string_view descr = quoted();
    std::string_view type = descr;
    header_.big_endian = type.starts_with('>');
    if (!type.empty() && std::string_view("<>|=").find(type[0]) != std::string_view::npos)
      type.remove_prefix(1);
    check(!type.empty(), "descr is no dtype");
    const char kind = type[0];
    uint64_t size = 0;
    const auto [end, error] = std::from_chars(type.data() + 1, type.data() + type.size(), size);
    const bool sized = error == std::errc() && end == type.data() + type.size();
    if (sized && (kind == 'S' || kind == 'U')) {
      check(size > 0 && size <= kLongestString, "strings have no such length");
      header_.spec.dtype = string;
      header_.elements = kind == 'S' ? NpyHeader::Elements::kBytes : NpyHeader::Elements::kUnicode;
      header_.element_bytes = kind == 'S' ? size : 4 * size;
      return;
    }
    header_.spec.dtype = number_type(descr, kind, sized ? size : 0);
    header_.element_bytes = size_of(header_.spec.dtype);
  }

  DType number_type(std::string_view descr, char kind, uint64_t size) const {
    switch (kind) {
      case 'b':
      case '?':
        if (size == 1 || kind == '?') return boolean;
        break;
      case 'i':
        if (size == 1) return int8;
        if (size == 2) return int16;
        if (size == 4) return int32;
        if (size == 8) return int64;
        break;
      case 'u':
        if (size == 1) return uint8;
        if (size == 2) return uint16;
        if (size == 4) return uint32;
        if (size == 8) return uint64;
        break;
      case 'f':
        if (size == 2) return float16;
        if (size == 4) return float32;
        if (size == 8) return float64;
        break;
      default: break;
    }
    fail<UnimplementedError>(
        "{}: the array is of NumPy's dtype '{}', which is not supported. Save "
        "it as a bool, an integer, float16 to float64, or a string.",
        name_, descr);
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0;
  NpyHeader header_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

NpyHeader read_npy_header(ByteSource& source) {
  char magic[8];
  source.read_exactly(magic, sizeof(magic));
  require<DataLossError>(std::string_view(magic, sizeof(magic)).starts_with(kMagic),
                         "{}: this is not a .npy file: it does not begin with \\x93NUMPY.",
                         source.name());
  const auto version = static_cast<uint8_t>(magic[6]);
  require<UnimplementedError>(version >= 1 && version <= 3 && magic[7] == 0,
                              "{}: the .npy format has versions 1.0, 2.0 and 3.0. Got {}.{}.",
                              source.name(), version, static_cast<uint8_t>(magic[7]));
  uint32_t length = 0;
  source.read_exactly(&length, version == 1 ? 2 : 4);
  require<DataLossError>(length <= kLongestHeader && length <= source.at_most(),
                         "{}: the file is damaged or cut short: its header would be {} bytes long.",
                         source.name(), length);
  std::string text(length, '\0');
  source.read_exactly(text.data(), text.size());
  return HeaderParser(text, source.name()).parse();
}

std::string npy_header(std::string_view descr, const Shape& shape) {
  std::string dims;
  for (int64_t dim : shape) dims += fmt::format("{}{}", dims.empty() ? "" : ", ", dim);
  if (shape.rank() == 1) dims += ',';
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, dims);
  if (shape.rank() > 0) text.append(kGrowth - std::to_string(shape.front()).size(), ' ');
  const size_t begin = kMagic.size() + 4;
  text.append(kAlignment - (begin + text.size() + 1) % kAlignment, ' ');
  text += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace alula::io
