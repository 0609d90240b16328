#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace alula::io {

/// A JSON value (RFC 8259). Members of objects keep their order.
///   const Json config = Json::parse(R"({"units": 10, "activation": "relu"})", "config.json");
///   config.at("units").as_integer()  ->  10
class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;
  enum class Kind { kNull, kBool, kInteger, kNumber, kString, kArray, kObject };

  Json();                          // null
  template <std::same_as<bool> T>  // not what merely converts to bool
  Json(T value);
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Json(T value);
  Json(double value);
  Json(std::string value);
  Json(const char* value);
  Json(Array values);
  Json(Object members);

  /// Reads one value, with nothing but white space around it. Strict: no comments, no commas too
  /// many, no NaN, valid UTF-8, no key twice, at most `kMaxDepth` arrays and objects in one
  /// another. Errors are DataLossError: they name `name` and the place.
  static Json parse(std::string_view text, const std::string& name);
  static constexpr int kMaxDepth = 128;

  /// As text that `parse` reads back to the same value, on one line, as Python writes it.
  std::string dump() const;

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_object() const { return kind() == Kind::kObject; }

  /// The value as what it must be; another kind throws InvalidArgumentError.
  bool as_bool() const { return get<bool>(Kind::kBool); }
  int64_t as_integer() const { return get<int64_t>(Kind::kInteger); }
  double as_number() const;  // of an integer, too
  const std::string& as_string() const { return get<std::string>(Kind::kString); }
  const Array& as_array() const { return get<Array>(Kind::kArray); }
  const Object& as_object() const { return get<Object>(Kind::kObject); }

  /// An object's member, or null if it has none of that name.
  const Json* find(std::string_view key) const;
  /// An object's member, or NotFoundError.
  const Json& at(std::string_view key) const;

  bool operator==(const Json&) const = default;

 private:
  template <class T>
  const T& get(Kind wanted) const {
    if (kind() != wanted) fail_kind(wanted);
    return *std::get_if<T>(&value_);
  }
  [[noreturn]] void fail_kind(Kind wanted) const;

  // In the order of Kind.
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> value_;
};

struct Json::Member {
  std::string key;
  Json value;
  bool operator==(const Member&) const = default;
};

// Here, because a Member must be complete before a value can be made.
inline Json::Json() = default;
template <std::same_as<bool> T>
Json::Json(T value) : value_(value) {}
template <std::integral T>
  requires(!std::same_as<T, bool>)
Json::Json(T value) : value_(static_cast<int64_t>(value)) {}
inline Json::Json(double value) : value_(value) {}
inline Json::Json(std::string value) : value_(std::move(value)) {}
inline Json::Json(const char* value) : value_(std::string(value)) {}
inline Json::Json(Array values) : value_(std::move(values)) {}
inline Json::Json(Object members) : value_(std::move(members)) {}

}  // namespace alula::io
