#include <algorithm>
#include <cstring>

#include "alula/alula.h"
#include "alula/io/example.h"
#include "fuzz/fuzz.h"

using namespace alula;

namespace {

/// The values of a tensor whose first dimension may be any; floats as bits, for NaN.
template <class T>
bool same(const Tensor& tensor, const std::vector<T>& values) {
  const auto found = tensor.span<T>();
  if (found.size() != values.size()) return false;
  if constexpr (std::same_as<T, std::string>)
    return std::equal(found.begin(), found.end(), values.begin());
  else
    return found.empty() || std::memcmp(found.data(), values.data(), found.size_bytes()) == 0;
}

/// The first byte says which features are of a fixed length, and have a default.
io::FeatureSpecs features_of(uint8_t how) {
  const auto one = [&](int bit, const Shape& shape, DType dtype, const Tensor& standard) {
    if ((how >> bit & 1) == 0) return io::FeatureSpec(io::VarLenFeature{dtype});
    return io::FeatureSpec(
        io::FixedLenFeature{shape, dtype, (how >> (bit + 1) & 1) != 0 ? standard : Tensor()});
  };
  return {{"ints", one(0, {3}, int64, Tensor(7))},
          {"floats", one(2, {2, 1}, float32, Tensor(1.5f))},
          {"texts", one(4, {3}, string, Tensor("none"))},
          {"single", one(6, {}, int64, Tensor(7))}};
}

void parse(std::string_view bytes) {
  if (bytes.empty()) return;
  const io::FeatureSpecs features = features_of(static_cast<uint8_t>(bytes[0]));
  const std::string example(bytes.substr(1));
  const auto single = io::parse_single_example(Tensor(example), features);
  // What has no default is what the plain reader finds.
  const io::Example plain = io::parse_example_bytes(example, "fuzz");
  for (const auto& [name, spec] : features) {
    const Tensor& values = single.at(name);
    fuzz::check(values.dtype() == spec.dtype());
    if (spec.default_value().defined()) continue;
    const auto found = plain.features.find(name);
    const io::Feature feature = found == plain.features.end() ? io::Feature() : found->second;
    fuzz::check(spec.dtype() == string    ? same(values, feature.bytes)
                : spec.dtype() == float32 ? same(values, feature.floats)
                                          : same(values, feature.ints));
  }
  // One of several is the same as alone, also beside one that has nothing.
  const bool all_may_miss = std::all_of(features.begin(), features.end(), [](const auto& feature) {
    return feature.second.any_length() || feature.second.default_value().defined();
  });
  const std::string other = all_may_miss ? "" : example;
  const auto twice = io::parse_example(Tensor{example, other, example}, features);
  for (const auto& [name, values] : twice) {
    const Tensor& alone = single.at(name);
    fuzz::check(values.shape() == Shape{3} + alone.shape());
    const Tensor last = values.rows(2, 3).reshaped(alone.shape());
    fuzz::check(alone.dtype() == string    ? same(last, alone.to_vector<std::string>())
                : alone.dtype() == float32 ? same(last, alone.to_vector<float>())
                                           : same(last, alone.to_vector<int64_t>()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::parse(data, size, parse);
}
