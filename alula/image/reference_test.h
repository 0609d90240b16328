#pragma once
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "alula/graph/vectorized_map.h"
#include "alula/io/json.h"
#include "alula/io/safetensors.h"
#include "alula/ops/concat.h"
#include "alula/testing/harness.h"
#include "alula/testing/test_data.h"

/// What TensorFlow's tf.image computed, from tests/image_reference.
namespace alula::image::reference {

/// One call, and what came out.
struct Case {
  std::string key, function;
  io::Json config;
  Tensor input, output;

  bool has(const char* name) const { return config.find(name) != nullptr; }
  double number(const char* name) const { return config.at(name).as_number(); }
  double number(const char* name, double otherwise) const {
    return has(name) ? number(name) : otherwise;
  }
  int64_t integer(const char* name) const { return static_cast<int64_t>(number(name)); }
  bool flag(const char* name) const { return has(name) && config.at(name).as_bool(); }
  std::string text(const char* name, const char* otherwise) const {
    return has(name) ? std::string(config.at(name).as_string()) : otherwise;
  }
};

inline std::vector<Case> read(const std::string& name) {
  const io::SafeTensors contents =
      io::read_safetensors(alula::testing::test_data("image_reference/" + name + ".safetensors"));
  std::unordered_map<std::string, Tensor> tensors;
  for (const io::NamedTensor& named : contents.tensors) tensors[named.name] = named.tensor;
  std::vector<Case> cases;
  for (const auto& [key, text] : contents.metadata) {
    if (key != "cases") continue;
    const io::Json list = io::Json::parse(text, name);
    for (const io::Json& item : list.as_array()) {
      const std::string key = item.at("key").as_string();
      cases.push_back({key, item.at("function").as_string(), item.at("config"),
                       tensors.at(key + "/input"), tensors.at(key + "/output")});
    }
  }
  return cases;
}

/// The function of a case, and how far it may be from TensorFlow's.
struct Checked {
  std::function<Tensor(const Tensor&, const Case&)> call;
  double tolerance = 0;
};
using Functions = std::map<std::string, Checked>;

/// What a tolerance is relative to: the largest value of a result, or of its dtype.
inline double scale_of(const Tensor& expected) {
  double scale = 1;
  if (is_integer(expected.dtype()))
    scale = std::ldexp(1.0, static_cast<int>(size_of(expected.dtype())) * 8 - 1);
  else
    for (double value : testing::to_array(expected).values)
      scale = std::max(scale, std::abs(value));
  return scale;
}

/// uint8 is compared exactly. Wider integers show the last bits of float32, and may be off by one
/// where those differ.
inline void expect_near(const Tensor& actual, const Tensor& expected, double tolerance) {
  const DType dtype = expected.dtype();
  ASSERT_EQ(actual.dtype(), dtype);
  const double scale = scale_of(expected);
  const bool rounded = is_integer(dtype) && size_of(dtype) > 1 && tolerance > 0;
  testing::expect_equal(
      actual, testing::to_array(expected), dtype,
      {.relative = std::max(tolerance + (rounded ? 1 / scale : 0), 1e-30), .scale = scale});
}

/// Three different images, stacked, through vectorized_map: as three calls, stacked.
inline void check_batched(const Checked& checked, const Case& item) {
  const auto call = [&](const Tensor& image) { return checked.call(image, item); };
  std::vector<Tensor> images = {item.input, testing::random_tensor(item.input.spec(), {0, 1}),
                                testing::random_tensor(item.input.spec(), {0, 1})};
  std::vector<Tensor> expected;
  for (const Tensor& image : images) expected.push_back(call(image));
  const Tensor all = vectorized_map(call, stack(images));
  expect_near(all, stack(expected), 1e-6);
}

/// Calls the function of each case, eagerly and for many images at once. A function without a case
/// is a failure.
inline void check_all(const std::string& file, const Functions& functions) {
  std::map<std::string, int> called;
  for (const Case& item : read(file)) {
    const auto found = functions.find(item.function);
    if (found == functions.end()) continue;
    ++called[item.function];
    SCOPED_TRACE(
        fmt::format("case {} of {}: {} of {}", item.key, file, item.function, item.input.spec()));
    expect_near(found->second.call(item.input, item), item.output, found->second.tolerance);
    check_batched(found->second, item);
    if (::testing::Test::HasFailure()) return;
  }
  for (const auto& [function, checked] : functions)
    EXPECT_GT(called[function], 0) << function << " has no case";
}

}  // namespace alula::image::reference
