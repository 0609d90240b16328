#include "alula/io/read_file.h"

#include "alula/graph/function.h"
#include "alula/graph/vectorized_map.h"
#include "alula/io/file.h"
#include "alula/io/temporary_test.h"
#include "alula/testing/harness.h"

using namespace alula;

namespace {

void write(const std::string& path, std::string_view text) {
  io::FileWriter writer(path);
  writer.write(text);
  writer.close();
}

}  // namespace

TEST(ReadFile, ReadsWheneverItRuns) {
  const alula::testing::TemporaryFolder folder;
  const std::string a = folder / "a", b = folder / "b";
  write(a, "one");
  write(b, std::string_view("t\0wo", 4));
  EXPECT_EQ(io::read_file(Tensor(std::string_view(a))).item<std::string>(), "one");
  const Tensor both(std::vector<std::string>{a, b});
  const std::vector<std::string> contents{"one", std::string("t\0wo", 4)};
  EXPECT_EQ(io::read_file(both).to_vector<std::string>(), contents);
  const auto read = [](const Tensor& path) { return io::read_file(path); };
  EXPECT_EQ(vectorized_map(read, both).to_vector<std::string>(), contents);
  auto compiled = function([&] { return io::read_file(Tensor(std::string_view(a))); });
  EXPECT_EQ(compiled().item<std::string>(), "one");
  write(a, "three");
  EXPECT_EQ(compiled().item<std::string>(), "three");
}

TEST(ReadFile, SaysWhatIsWrong) {
  EXPECT_ERROR(io::read_file(Tensor{1}), InvalidArgumentError, "read_file: takes paths, strings");
  EXPECT_ERROR(io::read_file(Tensor(std::string_view("/nowhere"))), NotFoundError, "/nowhere");
}
