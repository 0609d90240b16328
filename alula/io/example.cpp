#include "alula/io/example.h"

#include "alula/io/protobuf.h"
#include "alula/io/utf8.h"

namespace alula::io {
namespace {

Feature copy_of(const FeatureView& view) {
  Feature feature;
  feature.kind = view.kind();
  view.each_bytes([&](std::string_view value) { feature.bytes.emplace_back(value); });
  view.each_float([&](float value) { feature.floats.push_back(value); });
  view.each_int64([&](int64_t value) { feature.ints.push_back(value); });
  return feature;
}

/// The list in a feature. Numbers are packed; an empty list has no field, as in TensorFlow.
ProtoWriter list_of(const Feature& feature) {
  ProtoWriter list;
  switch (feature.kind) {
    case FeatureKind::kBytes:
      for (const std::string& value : feature.bytes) list.text(1, value);
      break;
    case FeatureKind::kFloat:
      if (!feature.floats.empty())
        list.text(1, {reinterpret_cast<const char*>(feature.floats.data()),
                      feature.floats.size() * sizeof(float)});
      break;
    case FeatureKind::kInt64:
      if (!feature.ints.empty()) list.packed(1, feature.ints);
      break;
    case FeatureKind::kNone: break;
  }
  return list;
}

}  // namespace

size_t FeatureView::count() const {
  size_t values = 0;
  each_bytes([&](std::string_view) { ++values; });
  each_float([&](float) { ++values; });
  each_int64([&](int64_t) { ++values; });
  return values;
}

const Feature& Example::at(std::string_view name) const {
  const auto found = features.find(name);
  require<NotFoundError>(found != features.end(),
                         "example: there is no feature \"{}\" among the {}.", name,
                         features.size());
  return found->second;
}

std::string Example::bytes() const {
  ProtoWriter map;
  for (const auto& [name, feature] : features) {
    require(is_utf8(name), "example: the name of a feature must be UTF-8. Got \"{}\".", name);
    ProtoWriter value;
    if (feature.kind != FeatureKind::kNone)
      value.message(static_cast<int>(feature.kind), list_of(feature));
    map.message(1, ProtoWriter().text(1, name).message(2, value));
  }
  return ProtoWriter().message(1, map).bytes();
}

Example parse_example_bytes(std::string_view bytes, std::string_view name) {
  Example example;
  each_feature(bytes, name, [&](std::string_view key, const FeatureView& feature) {
    example.features.insert_or_assign(std::string(key), copy_of(feature));
  });
  return example;
}

}  // namespace alula::io
