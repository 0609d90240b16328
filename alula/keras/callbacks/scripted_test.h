#pragma once
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alula/core/log.h"
#include "alula/io/file.h"
#include "alula/io/json.h"
#include "alula/io/temporary_test.h"
#include "alula/keras/callbacks/learning_rate.h"
#include "alula/keras/input.h"
#include "alula/keras/layers/dense.h"
#include "alula/keras/model.h"
#include "alula/keras/output_test.h"
#include "alula/testing/harness.h"
#include "alula/testing/test_data.h"

/// Callbacks driven by numbers that are given, beside what Keras's did with the same numbers
/// (tests/keras_reference/text/callbacks.json).
namespace alula::keras::callbacks {

/// A model of one weight, at a learning rate of 0.1.
inline Sequential one_weight() {
  Sequential model({Input({.shape = {1}}), layers::Dense({.units = 1, .use_bias = false})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  set_learning_rate(model, 0.1);
  return model;
}

inline double number_of(const io::Json& value) {
  if (value.is_string()) return std::numeric_limits<double>::quiet_NaN();  // JSON has none
  return value.as_number();
}

inline Logs logs_of(const io::Json& object) {
  Logs logs;
  for (const auto& [name, value] : object.as_object()) logs.set(name, number_of(value));
  return logs;
}

/// By name, and as text, in which NaN equals NaN.
inline std::map<std::string, std::string> comparable(const Logs& logs) {
  std::map<std::string, std::string> result;
  for (const auto& [name, value] : logs) result[name] = fmt::format("{}", value);
  return result;
}

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// Keras's files of models are ours of weights.
inline std::string our_names(const std::string& text) {
  return replaced(replaced(text, ".weights.h5", ".safetensors"), ".keras", ".safetensors");
}

inline std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// A field of a callback's options in the file, or what it is without.
inline std::string text_in(const io::Json& config, const char* key, const std::string& otherwise) {
  const io::Json* found = config.find(key);
  return found != nullptr ? found->as_string() : otherwise;
}
inline double number_in(const io::Json& config, const char* key, double otherwise) {
  const io::Json* found = config.find(key);
  return found != nullptr ? found->as_number() : otherwise;
}
inline int whole_in(const io::Json& config, const char* key, int otherwise) {
  return static_cast<int>(number_in(config, key, otherwise));
}
inline bool flag_in(const io::Json& config, const char* key) {
  const io::Json* found = config.find(key);
  return found != nullptr && found->as_bool();
}
/// The tests that watch what is not there say which way is better.
inline std::string mode_in(const io::Json& config) {
  return text_in(config, "mode", config.find("monitor") != nullptr ? "min" : "auto");
}

/// Runs a callback through the epochs of one case, and compares what it leaves behind.
inline void run_case(const io::Json& test, Callback& callback, const std::string& folder) {
  const CapturedOutput printed;
  int warnings = 0;
  const auto handler = logging::set_handler([&](auto, auto) { ++warnings; });
  Sequential model = one_weight();
  callback.set_model(model);
  callback.on_train_begin();
  size_t epoch = 0;
  for (const io::Json& expected : test.at("epochs").as_array()) {
    SCOPED_TRACE(epoch);
    const auto number = static_cast<int64_t>(epoch);
    callback.on_epoch_begin(number);
    model.set_weights({Tensor({{static_cast<float>(number + 1)}})});
    Logs logs = logs_of(test.at("values").as_array()[epoch++]);
    callback.on_epoch_end(number, logs);
    EXPECT_EQ(comparable(logs), comparable(logs_of(expected.at("logs"))));
    EXPECT_EQ(learning_rate_of(model), expected.at("learning_rate").as_number());
    EXPECT_EQ(model.stop_training(), expected.at("stop").as_bool());
    std::vector<std::string> files;
    for (const io::Json& file : expected.at("files").as_array())
      files.push_back(our_names(file.as_string()));
    EXPECT_EQ(names_in(folder), files);
  }
  callback.on_train_end({});
  logging::set_handler(handler);
  EXPECT_EQ(replaced(printed.text(), folder, "FOLDER"), our_names(test.at("printed").as_string()));
  EXPECT_EQ(model.get_weights()[0].item<float>(), test.at("final_weight").as_number());
  int expected_warnings = 0;  // without those of other libraries
  for (const io::Json& warning : test.at("warnings").as_array())
    if (!warning.as_string().starts_with("__")) ++expected_warnings;
  EXPECT_EQ(warnings, expected_warnings);
  const io::Json* file = test.find("file");
  EXPECT_EQ(file != nullptr ? io::read_file(folder + "/log.csv") : "",
            file != nullptr ? file->as_string() : "");
}

/// All cases of a class; `make(config, folder)` gives the callback.
template <class Make>
void run_cases(const std::string& class_name, int at_least, Make make) {
  const std::string path = alula::testing::test_data("keras_reference/text/callbacks.json");
  const io::Json cases = io::Json::parse(io::read_file(path), path);
  int ran = 0;
  for (const io::Json& test : cases.as_array()) {
    if (test.at("class").as_string() != class_name) continue;
    SCOPED_TRACE(test.at("config").dump() + test.at("values").dump());
    const testing::TemporaryFolder folder;
    auto callback = make(test.at("config"), folder.path());
    run_case(test, callback, folder.path());
    ++ran;
  }
  EXPECT_GE(ran, at_least);
}

}  // namespace alula::keras::callbacks
