#include "alula/data/dataset_test.h"
#include "alula/ops/operators.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

using Lists = std::vector<std::vector<int64_t>>;

Lists lists(const Dataset& windows) {
  Lists all;
  for (const Element& window : windows) all.push_back(numbers(window.dataset()));
  return all;
}

}  // namespace

// What TensorFlow gives for the same.
TEST(Window, GivesDataSets) {
  const Dataset ten = Dataset::range(10);
  EXPECT_EQ(lists(ten.window(3)), (Lists{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9}}));
  EXPECT_EQ(lists(ten.window(3, {.drop_remainder = true})),
            (Lists{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}));
  EXPECT_EQ(lists(Dataset::range(4).window(3, {.shift = 1})),
            (Lists{{0, 1, 2}, {1, 2, 3}, {2, 3}, {3}}));
  EXPECT_EQ(lists(ten.window(3, {.shift = 2, .stride = 2})),
            (Lists{{0, 2, 4}, {2, 4, 6}, {4, 6, 8}, {6, 8}, {8}}));
  EXPECT_EQ(lists(ten.window(2, {.shift = 3})), (Lists{{0, 1}, {3, 4}, {6, 7}, {9}}));
  EXPECT_EQ(lists(ten.window(3, {.shift = 5, .stride = 2, .drop_remainder = true})),
            (Lists{{0, 2, 4}, {5, 7, 9}}));
  EXPECT_EQ(lists(ten.window(2, {.shift = 1, .stride = 3, .drop_remainder = true})),
            (Lists{{0, 3}, {1, 4}, {2, 5}, {3, 6}, {4, 7}, {5, 8}, {6, 9}}));
  EXPECT_EQ(lists(ten.window(4, {.shift = 2, .stride = 3})),
            (Lists{{0, 3, 6, 9}, {2, 5, 8}, {4, 7}, {6, 9}, {8}}));
  EXPECT_EQ(lists(ten.window(2, {.shift = 12})), (Lists{{0, 1}}));
}

TEST(Window, KnowsHowMany) {
  const Dataset ten = Dataset::range(10);
  EXPECT_EQ(ten.window(3).cardinality(), 4);
  EXPECT_EQ(ten.window(3, {.shift = 1}).cardinality(), 10);
  EXPECT_EQ(ten.window(3, {.shift = 1, .stride = 2, .drop_remainder = true}).cardinality(), 6);
  EXPECT_EQ(ten.window(3, {.shift = 7, .stride = 2, .drop_remainder = true}).cardinality(), 1);
  EXPECT_EQ(to_string(ten.window(3).element_spec()), "Dataset(int64[?])");
  EXPECT_EQ(to_string(ten.enumerate().window(3, {.drop_remainder = true}).element_spec()),
            "(Dataset(int64[3]), Dataset(int64[3]))");
}

TEST(Window, IsFlattenedByFlatMap) {
  const Dataset windows = Dataset::range(7).window(3, {.shift = 2});
  const auto batch = [](const Element& window) { return window.dataset().batch(3); };
  EXPECT_EQ(texts(windows.flat_map(batch)),
            (std::vector<std::string>{"[0 1 2]", "[2 3 4]", "[4 5 6]", "[6]"}));
  EXPECT_EQ(to_string(windows.flat_map(batch).element_spec()), "int64[?]");
  const auto pairs = [](const Element& windows) {
    return Dataset::zip({windows[0].dataset(), windows[1].dataset()});
  };
  EXPECT_EQ(texts(Dataset::range(3).enumerate().window(2).flat_map(pairs)),
            (std::vector<std::string>{"(0, 0)", "(1, 1)", "(2, 2)"}));
}

TEST(Window, Restores) {
  expect_restores_everywhere(Dataset::range(10).window(3));
  expect_restores_everywhere(Dataset::range(10).window(3, {.shift = 1, .stride = 2}));
  expect_restores_everywhere(Dataset::range(20).window(2, {.shift = 6, .stride = 2}));
  expect_restores_everywhere(Dataset::range(20).window(2, {.shift = 6}));
}

TEST(Window, ChecksItsNumbers) {
  const Dataset ten = Dataset::range(10);
  EXPECT_ERROR(ten.window(0), InvalidArgumentError, "the size must be positive. Got 0.");
  EXPECT_ERROR(ten.window(1, {.shift = -1}), InvalidArgumentError, "shift must be positive");
  EXPECT_ERROR(ten.window(1, {.stride = 0}), InvalidArgumentError, "stride must be positive");
  EXPECT_ERROR(ten.window(int64_t{1} << 40, {.stride = int64_t{1} << 40}), InvalidArgumentError,
               "size times stride is too large");
  EXPECT_ERROR(ten.window(2).window(2), InvalidArgumentError,
               "the elements are windows already. Got Dataset(int64[?]).");
  EXPECT_ERROR((*ten.begin()).dataset(), InvalidArgumentError, "it is no data set");
}

TEST(Window, ElementsThatFailBetweenWindowsAreCounted) {
  // Blocks with gaps, and elements that are picked apart: windows begin at 0, 5, 10, 15, 20.
  for (const WindowOptions& options :
       {WindowOptions{.shift = 5}, WindowOptions{.shift = 5, .stride = 2}})
    for (const int64_t bad : {3, 4, 8, 19}) {
      const std::vector<std::string> all = texts(failing_numbers(24, -1).window(2, options));
      const Survivors some = survivors(failing_numbers(24, bad).window(2, options));
      EXPECT_EQ(some.elements, all) << bad << " fails, stride " << options.stride;
      EXPECT_EQ(some.errors, 1);
    }
  for (const int64_t shift : {3, 5})
    expect_goes_on_behind_an_error(
        [=](const Dataset& each) { return each.window(3, {.shift = shift}); },
        {.in_blocks = false});
}
