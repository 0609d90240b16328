#include "alula/data/dataset_test.h"
#include "alula/io/record_writer.h"
#include "alula/io/temporary_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

std::vector<std::string> strings(const Dataset& dataset) {
  std::vector<std::string> all;
  for (const Element& element : dataset) all.push_back(element.tensor().item<std::string>());
  return all;
}

}  // namespace

TEST(TextLines, ReadsFilesOneAfterAnother) {
  const TemporaryFolder folder;
  put(folder / "a", "one\ntwo\r\n\nfour");
  put(folder / "b", "");
  put(folder / "c", "five\n");
  const Dataset lines = Dataset::text_lines({folder / "a", folder / "b", folder / "c"});
  EXPECT_EQ(strings(lines), (std::vector<std::string>{"one", "two", "", "four", "five"}));
  EXPECT_EQ(lines.cardinality(), kUnknownCardinality);
  EXPECT_EQ(to_string(lines.element_spec()), "string[]");
  EXPECT_EQ(strings(lines.skip(3)), (std::vector<std::string>{"four", "five"}));
  EXPECT_NE(lines.explain().find("text_lines: 3 files from"), std::string::npos);
  expect_same_in_blocks(lines);
  expect_restores_everywhere(lines);
  expect_restores_everywhere(lines.batch(2));
  expect_restores_everywhere(lines.shuffle(3).repeat(2));
}

TEST(TextLines, SaysWhichFileIsMissingAndGoesOn) {
  const TemporaryFolder folder;
  put(folder / "a", "one\ntwo\n");
  put(folder / "c", "three\n");
  const Dataset lines = Dataset::text_lines({folder / "a", folder / "gone", folder / "c"});
  EXPECT_ERROR(texts(lines), NotFoundError, "gone");
  EXPECT_EQ(strings(lines.ignore_errors()), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_ERROR(Dataset::text_lines({}), InvalidArgumentError, "text_lines: there is no file.");
  EXPECT_ERROR(Dataset::text_lines({folder / "a"}, {.compression_type = "ZIP"}),
               InvalidArgumentError, "ZIP");
}

TEST(ListFiles, FindsFiles) {
  const TemporaryFolder folder;
  std::vector<std::string> expected;
  for (int i = 0; i < 9; ++i) put(expected.emplace_back(folder / fmt::format("f{}.txt", i)), "x\n");
  put(folder / "other", "");
  const std::string pattern = folder / "f*.txt";
  EXPECT_EQ(strings(Dataset::list_files(pattern, {.shuffle = false})), expected);
  const Dataset shuffled = Dataset::list_files(pattern, {.seed = 4});
  std::vector<std::string> first = strings(shuffled), second = strings(shuffled);
  EXPECT_NE(first, second);  // another order each time
  EXPECT_EQ(strings(Dataset::list_files(pattern, {.seed = 4})), first);
  std::sort(first.begin(), first.end());
  EXPECT_EQ(first, expected);
  expect_restores_everywhere(shuffled);
  const auto lines = [](const Tensor& name) {
    return Dataset::text_lines({name.item<std::string>()});
  };
  EXPECT_EQ(strings(shuffled.interleave(lines, {.num_parallel_calls = 2})).size(), 9u);
  EXPECT_ERROR(Dataset::list_files(folder / "*.jpg"), NotFoundError, "*.jpg");
}
