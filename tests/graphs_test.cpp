// The compiled graphs of the example models, as text: what a pass changes shows up as a difference
// in tests/graphs. `make goldens` writes them anew.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "alula/io/file.h"
#include "alula/testing/test_data.h"
#include "tests/example_models_test.h"

using namespace alula;
using namespace alula::examples;

namespace {

constexpr int64_t kBatch = 32;

/// The first line in which two texts differ.
std::string difference(const std::string& got, const std::string& expected) {
  std::istringstream a(got), b(expected);
  for (int number = 1;; ++number) {
    std::string left, right;
    const bool more = static_cast<bool>(std::getline(a, left)),
               most = static_cast<bool>(std::getline(b, right));
    if (!more && !most) return "no difference";
    if (left != right)
      return fmt::format("line {} is\n  {}\ninstead of\n  {}", number, left, right);
  }
}

void compare(const std::string& name, const std::string& text) {
  const std::string path = alula::testing::test_data(fmt::format("graphs/{}.txt", name));
  if (std::getenv("ALULA_WRITE_GOLDENS") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path)) << path << " is missing. Run `make goldens`.";
  EXPECT_EQ(difference(text, io::read_file(path)), "no difference")
      << "The compiled graph of " << name << " has changed. Look at it, then run `make goldens`.";
}

}  // namespace

TEST(Graphs, AreAsTheyWere) {
  for (const Example& example : all_examples()) {
    Session session(example, kBatch);
    const auto train =
        function([&](const Tensor& x, const Tensor& y) { return session.train(x, y); });
    compare(std::string(example.name) + "_training",
            train.get_concrete_function(session.x, session.y).str());
    const auto infer = function([&](const Tensor& x) { return session.model(x); });
    compare(std::string(example.name) + "_inference", infer.get_concrete_function(session.x).str());
  }
}
