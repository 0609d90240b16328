#include "alula/io/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "alula/core/error.h"
#include "alula/io/utf8.h"

namespace alula::io {
namespace {

constexpr const char* kKinds[] = {"null",     "a bool",   "an integer", "a number",
                                  "a string", "an array", "an object"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Json parse() {
    Json value = parse_value(0);
    skip_space();
    if (at_ < text_.size()) fail_here("there is more after the value");
    return value;
  }

 private:
  [[noreturn, gnu::cold]] void fail_here(std::string_view what) const {
    fail<DataLossError>("{}: the JSON is not valid: {}, at byte {}.", name_, what, at_);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }

  Json parse_value(int depth) {
    if (depth > Json::kMaxDepth) fail_here("it is nested too deeply");
    skip_space();
    if (at_ == text_.size()) fail_here("it ends where a value is expected");
    switch (text_[at_]) {
      case '{': return parse_object(depth);
      case '[': return parse_array(depth);
      case '"': return parse_string();
      default: break;
    }
    if (accept_word("true")) return true;
    if (accept_word("false")) return false;
    if (accept_word("null")) return {};
    if (is_digit(peek()) || peek() == '-') return parse_number();
    fail_here("a value is expected");
  }

  Json parse_array(int depth) {
    Json::Array values;
    ++at_;
    skip_space();
    if (accept(']')) return values;
    do {
      values.push_back(parse_value(depth + 1));
      skip_space();
    } while (accept(','));
    if (!accept(']')) fail_here("',' or ']' is expected");
    return values;
  }

  Json parse_object(int depth) {
    Json::Object members;
    ++at_;
    skip_space();
    if (accept('}')) return members;
    do {
      skip_space();
      if (peek() != '"') fail_here("a key is expected");
      std::string key = parse_string();
      skip_space();
      if (!accept(':')) fail_here("':' is expected");
      members.push_back({std::move(key), parse_value(depth + 1)});
      skip_space();
    } while (accept(','));
    if (!accept('}')) fail_here("',' or '}' is expected");
    check_unique(members);
    return members;
  }

  void check_unique(const Json::Object& members) const {
    std::unordered_set<std::string_view> keys;
    for (const Json::Member& member : members)
      if (!keys.insert(member.key).second)
        fail_here(fmt::format("the key \"{}\" occurs twice in an object", member.key));
  }

  std::string parse_string() {
    std::string value;
    ++at_;
    for (;;) {
      const size_t from = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\') {
        if (static_cast<unsigned char>(text_[at_]) < 0x20)
          fail_here("a string has a control character");
        ++at_;
      }
      const std::string_view plain = text_.substr(from, at_ - from);
      if (!is_utf8(plain)) fail_here("a string is not UTF-8");
      value += plain;
      if (accept('"')) return value;
      if (!accept('\\')) fail_here("a string does not end");
      parse_escape(value);
    }
  }

  void parse_escape(std::string& value) {
    constexpr std::string_view kEscapes = "\"\\/bfnrtu", kMeant = "\"\\/\b\f\n\r\t";
    const size_t which = at_ < text_.size() ? kEscapes.find(text_[at_]) : std::string_view::npos;
    if (which == std::string_view::npos) fail_here("a string has an unknown escape");
    ++at_;
    if (which < kMeant.size())
      value += kMeant[which];
    else
      append_utf8(value, parse_code_point());
  }

  /// After "\u": one unit of UTF-16, or the two of a pair.
  uint32_t parse_code_point() {
    const uint32_t first = parse_hex();
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first <= 0xDBFF && accept_word("\\u")) {
      const uint32_t second = parse_hex();
      if (second >= 0xDC00 && second <= 0xDFFF)
        return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    }
    fail_here("a string has half of a surrogate pair");
  }

  uint32_t parse_hex() {
    uint32_t value = 0;
    const char* from = text_.data() + at_;
    const char* to = from + std::min<size_t>(4, text_.size() - at_);
    const auto [end, error] = std::from_chars(from, to, value, 16);
    if (error != std::errc() || end != from + 4) fail_here("\\u takes four hexadecimal digits");
    at_ += 4;
    return value;
  }

  void skip_digits() {
    if (!is_digit(peek())) fail_here("a digit is expected");
    while (is_digit(peek())) ++at_;
  }

  Json parse_number() {
    const size_t from = at_;
    bool whole = true;
    accept('-');
    if (!accept('0')) skip_digits();
    if (is_digit(peek())) fail_here("a number begins with a zero too many");
    if (accept('.')) {
      whole = false;
      skip_digits();
    }
    if (accept('e') || accept('E')) {
      whole = false;
      if (!accept('+')) accept('-');
      skip_digits();
    }
    return number(text_.substr(from, at_ - from), whole);
  }

  Json number(std::string_view digits, bool whole) const {
    const char *from = digits.data(), *to = from + digits.size();
    int64_t integer = 0;
    if (whole && std::from_chars(from, to, integer).ec == std::errc()) return integer;
    double value = 0;
    if (std::from_chars(from, to, value).ec != std::errc())
      fail_here("a number is too large or too small");
    return value;
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0;
};

void dump_string(std::string_view text, std::string& out) {
  require(is_utf8(text), "json: a string must be UTF-8. Got {} bytes that are not.", text.size());
  out += '"';
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          out += fmt::format("\\u{:04x}", static_cast<int>(c));
        else
          out += c;
    }
  }
  out += '"';
}

void dump_number(double value, std::string& out) {
  require(std::isfinite(value), "json: {} has no form in JSON.", value);
  const std::string text = fmt::format("{}", value);
  out += text;
  // So that it is read back as a number, not as an integer.
  if (text.find_first_of(".e") == std::string::npos) out += ".0";
}

void dump_to(const Json& json, std::string& out) {
  const char* separator = "";
  switch (json.kind()) {
    case Json::Kind::kNull: out += "null"; break;
    case Json::Kind::kBool: out += json.as_bool() ? "true" : "false"; break;
    case Json::Kind::kInteger: out += std::to_string(json.as_integer()); break;
    case Json::Kind::kNumber: dump_number(json.as_number(), out); break;
    case Json::Kind::kString: dump_string(json.as_string(), out); break;
    case Json::Kind::kArray:
      out += '[';
      for (const Json& value : json.as_array()) {
        out += std::exchange(separator, ", ");
        dump_to(value, out);
      }
      out += ']';
      break;
    case Json::Kind::kObject:
      out += '{';
      for (const Json::Member& member : json.as_object()) {
        out += std::exchange(separator, ", ");
        dump_string(member.key, out);
        out += ": ";
        dump_to(member.value, out);
      }
      out += '}';
      break;
  }
}

}  // namespace

Json Json::parse(std::string_view text, const std::string& name) {
  return Parser(text, name).parse();
}

std::string Json::dump() const {
  std::string text;
  dump_to(*this, text);
  return text;
}

double Json::as_number() const {
  if (kind() == Kind::kInteger) return static_cast<double>(as_integer());
  return get<double>(Kind::kNumber);
}

const Json* Json::find(std::string_view key) const {
  for (const Member& member : as_object())
    if (member.key == key) return &member.value;
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  const Json* value = find(key);
  require<NotFoundError>(value != nullptr, "json: the object has no member \"{}\".", key);
  return *value;
}

void Json::fail_kind(Kind wanted) const {
  fail("json: {} is expected. Got {}.", kKinds[static_cast<int>(wanted)],
       kKinds[static_cast<int>(kind())]);
}

}  // namespace alula::io
