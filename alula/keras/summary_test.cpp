#include "alula/keras/summary.h"

#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>

#include "alula/io/file.h"
#include "alula/keras/input.h"
#include "alula/keras/layers/dense.h"
#include "alula/keras/names.h"
#include "alula/keras/output_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;

namespace {

/// What Keras printed.
std::string golden(const std::string& name) {
  return io::read_file(std::string(ALULA_KERAS_REFERENCE) + "/text/summary_" + name + ".txt");
}

/// Each test starts the numbers of names again, and prints into a file.
class Summary : public ::testing::Test {
 protected:
  Summary() {
    backend::clear_session();
    unsetenv("COLUMNS");
  }
  ~Summary() override { unsetenv("COLUMNS"); }
  CapturedOutput output_;
};

std::shared_ptr<SequentialImpl> sequential(std::vector<Layer> layers) {
  auto model = std::make_shared<SequentialImpl>(std::move(layers), "");
  model->set_class(typeid(SequentialImpl));
  return model;
}

std::shared_ptr<SequentialImpl> mlp() {
  return sequential({Input({.shape = {100}}), layers::Dense({.units = 128, .activation = "relu"}),
                     layers::Dense({.units = 10, .activation = "softmax"})});
}

TEST_F(Summary, Mlp) { EXPECT_EQ(summary_text(*mlp()), golden("mlp")); }

TEST_F(Summary, IsCutToTheOutput) {
  setenv("COLUMNS", "60", 1);
  const std::string text = summary_text(*mlp(), {.line_length = 76});
  std::string expected;  // the same, but for the ends of the table's lines
  const std::string whole = golden("mlp");
  for (size_t begin = 0; begin < whole.size();) {
    const size_t end = whole.find('\n', begin);
    std::string line = whole.substr(begin, end - begin);
    while (std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }) > 60)
      line.pop_back();
    // A character of several bytes goes as a whole.
    expected += line + "\n";
    begin = end + 1;
  }
  EXPECT_EQ(text.size(), expected.size());
  EXPECT_EQ(text, expected);
}

TEST_F(Summary, NarrowTerminals) {
  setenv("COLUMNS", "3", 1);
  EXPECT_NE(summary_text(*mlp()).find("Total params: 14,218 (55.54 KB)"), std::string::npos);
  setenv("COLUMNS", "not a number", 1);  // as if it were not there
  EXPECT_EQ(summary_text(*mlp()).find("Model: \"sequential_1\"\n┏━━━━━━━━"), 0U);
  EXPECT_ERROR(summary_text(*mlp(), {.line_length = 5}), InvalidArgumentError,
               "line_length must be from 40 to 10000. Got 5.");
}

}  // namespace
