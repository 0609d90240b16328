#include "alula/core/inline_vector.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

using namespace alula;

namespace {

/// Counts its live objects; its copies can be made to throw.
struct Counted {
  static inline int alive = 0;
  static inline int copies_until_throw = -1;

  int value;

  Counted(int value) : value(value) {
    if (value < 0) throw std::runtime_error("negative");
    ++alive;
  }
  Counted(const Counted& other) : value(other.value) {
    if (copies_until_throw == 0) throw std::runtime_error("no more copies");
    if (copies_until_throw > 0) --copies_until_throw;
    ++alive;
  }
  Counted(Counted&& other) noexcept : value(other.value) {
    other.value = -1;
    ++alive;
  }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }
  bool operator==(const Counted&) const = default;
};

using Vector = InlineVector<Counted, 2>;

Vector up_to(int count) {
  Vector vector;
  for (int i = 0; i < count; ++i) vector.emplace_back(i);
  return vector;
}

void expect_up_to(const Vector& vector, int count) {
  ASSERT_EQ(vector.size(), static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) EXPECT_EQ(vector[i].value, i);
}

class InlineVectorTest : public ::testing::Test {
 protected:
  void TearDown() override {
    Counted::copies_until_throw = -1;
    EXPECT_EQ(Counted::alive, 0);
  }
};

}  // namespace

TEST_F(InlineVectorTest, Grows) {
  for (int count = 0; count < 20; ++count) {
    const Vector vector = up_to(count);
    expect_up_to(vector, count);
    EXPECT_EQ(vector.empty(), count == 0);
    EXPECT_EQ(Counted::alive, count);
    if (count > 0) {
      EXPECT_EQ(vector.back().value, count - 1);
    }
    EXPECT_EQ(vector.end() - vector.begin(), count);
    EXPECT_EQ(std::span<const Counted>(vector).size(), static_cast<size_t>(count));
  }
}

TEST_F(InlineVectorTest, CopiesAndMoves) {
  for (int from : {0, 1, 2, 3, 9})
    for (int to : {0, 2, 3, 9}) {
      const Vector original = up_to(from);
      Vector copy(original);
      expect_up_to(copy, from);
      EXPECT_EQ(copy, original);
      Vector moved(std::move(copy));
      expect_up_to(moved, from);
      EXPECT_TRUE(copy.empty());  // NOLINT(bugprone-use-after-move): it can be used again
      copy.emplace_back(0);
      expect_up_to(copy, 1);

      Vector target = up_to(to);
      target = original;
      expect_up_to(target, from);
      target = std::move(moved);
      expect_up_to(target, from);
      Vector& same = target;
      target = same;
      expect_up_to(target, from);
    }
}

TEST_F(InlineVectorTest, TakesItsOwnElements) {
  Vector vector = up_to(2);
  vector.emplace_back(vector[1]);  // while it grows
  EXPECT_EQ(vector[2].value, 1);
  EXPECT_EQ(vector[1].value, 1);
  vector.push_back(vector[0]);
  EXPECT_EQ(vector[3].value, 0);
}

TEST_F(InlineVectorTest, IsClearedAndUsedAgain) {
  Vector vector = up_to(5);
  vector.clear();
  EXPECT_TRUE(vector.empty());
  EXPECT_EQ(Counted::alive, 0);
  vector.emplace_back(0);
  expect_up_to(vector, 1);
}

TEST_F(InlineVectorTest, StaysWholeWhenAnElementThrows) {
  for (int count : {1, 2, 3, 4}) {
    Vector vector = up_to(count);  // with room for one more, and without
    EXPECT_THROW(vector.emplace_back(-1), std::runtime_error);
    expect_up_to(vector, count);
    EXPECT_EQ(Counted::alive, count);
  }
  for (int copies = 0; copies < 5; ++copies) {
    const Vector original = up_to(5);
    Counted::copies_until_throw = copies;
    EXPECT_THROW(Vector{original}, std::runtime_error);
    Vector target = up_to(3);
    Counted::copies_until_throw = copies;
    EXPECT_THROW(target = original, std::runtime_error);
    expect_up_to(target, 3);
    EXPECT_EQ(Counted::alive, 8);
    Counted::copies_until_throw = -1;
  }
}

TEST(InlineVector, HoldsWhatOnlyMovesAndWhatOwnsMemory) {
  InlineVector<std::unique_ptr<int>, 1> pointers;
  for (int i = 0; i < 10; ++i) pointers.push_back(std::make_unique<int>(i));
  InlineVector<std::unique_ptr<int>, 1> moved = std::move(pointers);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(*moved[i], i);

  InlineVector<std::string, 3> words{"a", std::string(100, 'b'), "c", "d"};
  const std::vector<std::string> expected{"a", std::string(100, 'b'), "c", "d"};
  EXPECT_EQ(std::vector<std::string>(words.begin(), words.end()), expected);
  EXPECT_EQ((InlineVector<std::string, 3>(expected.begin(), expected.end())), words);
  words[0] = "z";
  EXPECT_FALSE((words == InlineVector<std::string, 3>(expected.begin(), expected.end())));
}

TEST(InlineVector, NeedsNoHeapForItsFirstElements) {
  InlineVector<int, 4> numbers{1, 2, 3, 4};
  const auto* begin = reinterpret_cast<const char*>(&numbers);
  const auto* data = reinterpret_cast<const char*>(numbers.data());
  EXPECT_TRUE(data >= begin && data < begin + sizeof(numbers));
  numbers.push_back(5);
  data = reinterpret_cast<const char*>(numbers.data());
  EXPECT_FALSE(data >= begin && data < begin + sizeof(numbers));
}
