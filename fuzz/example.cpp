#include "alula/io/example.h"

#include "fuzz/fuzz.h"

using namespace alula::io;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return alula::fuzz::parse(data, size, [](std::string_view bytes) {
    size_t values = 0;
    each_feature(bytes, "fuzz",
                 [&](std::string_view, const FeatureView& feature) { values += feature.count(); });
    const Example example = parse_example_bytes(bytes, "fuzz");
    size_t copied = 0;
    for (const auto& [name, feature] : example.features)
      copied += feature.bytes.size() + feature.floats.size() + feature.ints.size();
    alula::fuzz::check(copied <= values);
    // The bytes of what was read mean the same. (As bytes: NaN is not equal to itself.)
    const std::string again = example.bytes();
    alula::fuzz::check(parse_example_bytes(again, "again").bytes() == again);
  });
}
