#include <string_view>

#include "alula/testing/layer_harness.h"
#include "alula/testing/test_data.h"

using namespace alula;
using namespace alula::testing;

namespace {

const io::SafeTensors& reference() {
  static const io::SafeTensors file =
      io::read_safetensors(test_data("keras_reference/layers.safetensors"));
  return file;
}

const io::Json& cases() {
  static const io::Json list = [] {
    for (const auto& [name, text] : reference().metadata)
      if (name == "cases") return io::Json::parse(text, "cases");
    return io::Json();
  }();
  return list;
}

/// TensorFlow makes selu from exp(x) - 1, which loses all digits near 0, and its gradient from
/// that.
constexpr std::string_view kRoundedInKeras = "activation/selu/extreme";
/// Keras's sparsemax does not add up to 1; see activations.cpp.
constexpr std::string_view kWrongInKeras = "activation/sparsemax/";

void check_cases(bool activations) {
  int count = 0;
  for (const io::Json& one : cases().as_array()) {
    if ((one.at("class").as_string() == "Activation") != activations) continue;
    ++count;
    const std::string& key = one.at("key").as_string();
    if (key.starts_with(kWrongInKeras)) continue;
    check_against_keras(reference(), one, {.gradients = key != kRoundedInKeras});
  }
  EXPECT_GT(count, 70);
}

}  // namespace

TEST(KerasReference, EveryLayerAgrees) { check_cases(false); }
TEST(KerasReference, EveryActivationAgrees) { check_cases(true); }
