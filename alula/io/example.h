#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "alula/io/proto_reader.h"

namespace alula::io {

/// What a feature of an example holds: a list of one of three types, or nothing.
enum class FeatureKind : uint8_t { kNone = 0, kBytes = 1, kFloat = 2, kInt64 = 3 };

/// A list of strings, of floats or of integers: a tf.train.Feature.
struct Feature {
  FeatureKind kind = FeatureKind::kNone;
  std::vector<std::string> bytes;
  std::vector<float> floats;
  std::vector<int64_t> ints;

  Feature() = default;
  Feature(std::vector<std::string> values) : kind(FeatureKind::kBytes), bytes(std::move(values)) {}
  Feature(std::vector<float> values) : kind(FeatureKind::kFloat), floats(std::move(values)) {}
  Feature(std::vector<int64_t> values) : kind(FeatureKind::kInt64), ints(std::move(values)) {}
  Feature(std::string value) : Feature(std::vector<std::string>{std::move(value)}) {}
  Feature(const char* value) : Feature(std::string(value)) {}
  Feature(float value) : Feature(std::vector<float>{value}) {}
  Feature(double value) : Feature(static_cast<float>(value)) {}
  Feature(int64_t value) : Feature(std::vector<int64_t>{value}) {}
  Feature(int value) : Feature(int64_t{value}) {}

  bool operator==(const Feature&) const = default;
};

/// Features by name: a tf.train.Example, the usual content of a TFRecord file.
///   Example example{{{"image", png}, {"label", 7}}};
///   writer.write(example.bytes());
struct Example {
  std::map<std::string, Feature, std::less<>> features;

  /// The feature of that name, or NotFoundError.
  const Feature& at(std::string_view name) const;
  /// As TensorFlow writes it, in the order of the names. A name that is not UTF-8 is an error.
  std::string bytes() const;

  bool operator==(const Example&) const = default;
};

/// Reads the bytes of a tf.train.Example; damage throws DataLossError, whose message begins with
/// `name`.
///   parse_example_bytes(record).at("label").ints  ->  {7}
Example parse_example_bytes(std::string_view bytes, std::string_view name = "example");

/// A feature where it lies in its message: what reads examples fast, into memory of its own.
class FeatureView {
 public:
  /// `message` is the tf.train.Feature.
  explicit FeatureView(const ProtoReader& message) : fields_(message) {
    // A message that sets several kinds has the last of them, and nothing that came before it.
    for (ProtoReader at = message; at.next();) {
      if (at.type() != WireType::kText || at.field() < 1 || at.field() > 3) continue;
      const auto kind = static_cast<FeatureKind>(at.field());
      if (kind != kind_) begin_ = at.position();
      kind_ = kind;
    }
  }

  FeatureKind kind() const { return kind_; }

  /// Calls fn(std::string_view), fn(float) or fn(int64_t) for each value; none if the feature is of
  /// another kind.
  template <class Fn>
  void each_bytes(Fn fn) const {
    each_of(FeatureKind::kBytes, [&](const ProtoReader& value) {
      if (value.is(1, WireType::kText)) fn(value.text());
    });
  }
  template <class Fn>
  void each_float(Fn fn) const {
    each_of(FeatureKind::kFloat, [&](const ProtoReader& value) {
      if (value.is(1, WireType::kText))
        value.each_fixed<float>(fn);
      else if (value.is(1, WireType::kFixed32))
        fn(value.float32());
    });
  }
  template <class Fn>
  void each_int64(Fn fn) const {
    each_of(FeatureKind::kInt64, [&](const ProtoReader& value) {
      if (value.is(1, WireType::kText))
        value.each_varint([&](uint64_t number) { fn(static_cast<int64_t>(number)); });
      else if (value.is(1, WireType::kVarint))
        fn(value.integer());
    });
  }

  /// How many values there are.
  size_t count() const;

 private:
  template <class Fn>
  void each_of(FeatureKind kind, Fn fn) const {
    if (kind_ != kind) return;
    for (ProtoReader at = fields_; at.next();) {
      if (at.position() < begin_ || !at.is(static_cast<int>(kind), WireType::kText)) continue;
      for (ProtoReader list = at.message(); list.next();) fn(list);
    }
  }

  ProtoReader fields_;
  size_t begin_ = 0;
  FeatureKind kind_ = FeatureKind::kNone;
};

/// Calls fn(std::string_view name, const FeatureView&) for each feature of a tf.train.Example, in
/// the order of its bytes. Of two with the same name, the later one counts.
///   each_feature(record, "parse_example", [&](std::string_view name, const FeatureView& feature) {
///     if (name == "label") feature.each_int64([&](int64_t value) { labels.push_back(value); });
///   });
template <class Fn>
void each_feature(std::string_view bytes, std::string_view name, Fn fn) {
  for (ProtoReader example(bytes, name); example.next();) {
    if (!example.is(1, WireType::kText)) continue;
    for (ProtoReader features = example.message(); features.next();) {
      if (!features.is(1, WireType::kText)) continue;
      std::string_view key;
      ProtoReader value(features.text().substr(0, 0), name);
      for (ProtoReader entry = features.message(); entry.next();) {
        if (entry.is(1, WireType::kText)) key = entry.text();
        if (entry.is(2, WireType::kText)) value = entry.message();
      }
      fn(key, FeatureView(value));
    }
  }
}

}  // namespace alula::io
