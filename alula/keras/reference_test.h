#pragma once
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "alula/io/json.h"
#include "alula/io/safetensors.h"
#include "alula/testing/harness.h"
#include "alula/testing/test_data.h"

/// What Keras computed, from tests/keras_reference.
namespace alula::keras::reference {

/// One case of a file: its tensors' names begin with `key`.
struct Case {
  std::string key;
  std::string kind;  // the class
  io::Json config;

  bool flag(const char* name, bool otherwise = false) const {
    const io::Json* value = config.find(name);
    return value == nullptr ? otherwise : value->as_bool();
  }
  double number(const char* name, double otherwise) const {
    const io::Json* value = config.find(name);
    return value == nullptr || value->is_null() ? otherwise : value->as_number();
  }
  bool has(const char* name) const {
    const io::Json* value = config.find(name);
    return value != nullptr && !value->is_null();
  }
};

/// A file of reference values.
class File {
 public:
  explicit File(const std::string& name) {
    const io::SafeTensors contents =
        io::read_safetensors(alula::testing::test_data("keras_reference/" + name));
    for (const io::NamedTensor& named : contents.tensors) tensors_[named.name] = named.tensor;
    for (const auto& [key, text] : contents.metadata) {
      if (key != "cases") continue;
      const io::Json list = io::Json::parse(text, name);
      for (const io::Json& item : list.as_array())
        cases_.push_back(
            {item.at("key").as_string(), item.at("class").as_string(), item.at("config")});
    }
  }
  const std::vector<Case>& cases() const { return cases_; }
  /// The tensor of that name; undefined if there is none.
  Tensor find(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? Tensor() : found->second;
  }
  Tensor at(const std::string& name) const {
    const Tensor tensor = find(name);
    EXPECT_TRUE(tensor.defined()) << name;
    return tensor;
  }
  const std::unordered_map<std::string, Tensor>& tensors() const { return tensors_; }

 private:
  std::unordered_map<std::string, Tensor> tensors_;
  std::vector<Case> cases_;
};

/// Fails unless float32 tensors have the same shape, and elements that differ by at most
/// `tolerance` * (|expected| + 1).
inline void expect_near(const Tensor& actual, const Tensor& expected, double tolerance) {
  ASSERT_TRUE(actual.defined());
  testing::expect_equal(actual, testing::to_array(expected), expected.dtype(),
                        {.relative = tolerance});
}

}  // namespace alula::keras::reference
