#include "alula/core/shape.h"

#include "alula/core/spec.h"
#include "alula/testing/harness.h"

using namespace alula;

TEST(Shape, OfEveryRank) {
  Shape shape;
  EXPECT_EQ(shape.size(), 1);
  EXPECT_EQ(to_string(shape), "[]");
  for (int rank = 1; rank <= kMaxRank; ++rank) {
    shape.push_back(rank);
    EXPECT_EQ(shape.rank(), rank);
    EXPECT_EQ(shape.back(), rank);
    EXPECT_EQ(shape.front(), 1);
    EXPECT_EQ(shape, Shape(shape.dims()));
  }
  EXPECT_EQ(shape.size(), 40320);
  EXPECT_EQ(to_string(shape), "[1,2,3,4,5,6,7,8]");
  EXPECT_ERROR(shape.push_back(1), InvalidArgumentError,
               "shape: at most 8 dimensions are supported.");
  EXPECT_ERROR((Shape{1, 2, 3, 4, 5, 6, 7, 8, 9}), InvalidArgumentError, "at most 8 dimensions");
}

TEST(Shape, MayBeEmptyOrUnknownButNotNegative) {
  EXPECT_EQ((Shape{0}).size(), 0);
  EXPECT_EQ((Shape{3, 0, 2}).size(), 0);
  EXPECT_EQ((Shape{int64_t{1} << 40, int64_t{1} << 40, 0}).size(), 0);
  EXPECT_TRUE((Shape{3, 0}).is_known());
  EXPECT_FALSE((Shape{3, kUnknown}).is_known());
  EXPECT_EQ(to_string(Shape{3, kUnknown}), "[3,?]");
  EXPECT_ERROR(Shape{-2}, InvalidArgumentError, "shape: a dimension cannot be negative. Got -2.");
}

TEST(Shape, CountsWithoutOverflow) {
  constexpr int64_t kBig = int64_t{1} << 31;
  EXPECT_EQ((Shape{}).checked_size("f"), 1);
  EXPECT_EQ((Shape{2, 3}).checked_size("f", 8), 6);
  EXPECT_EQ((Shape{kBig, kBig}).checked_size("f"), kBig * kBig);
  EXPECT_EQ((Shape{kBig, kBig, 0}).checked_size("f", 8), 0);
  EXPECT_EQ((Shape{0, kBig, kBig, kBig}).checked_size("f", 8), 0);
  EXPECT_ERROR((Shape{kBig, kBig}).checked_size("f", 4), InvalidArgumentError,
               "f: a tensor of shape [2147483648,2147483648] has too many elements to count.");
  EXPECT_ERROR((Shape{kBig, kBig, 2}).checked_size("f"), InvalidArgumentError, "too many elements");
  EXPECT_ERROR((Shape{kBig, kBig, kBig, kBig}).checked_size("f"), InvalidArgumentError, "too many");
  EXPECT_ERROR((Shape{2, kUnknown}).checked_size("f"), InvalidArgumentError,
               "f: the shape [2,?] has an unknown dimension.");
  EXPECT_ERROR((Shape{0, kUnknown}).checked_size("f"), InvalidArgumentError,
               "f: the shape [0,?] has an unknown dimension.");
  Shape wrong{2, 3};
  wrong[1] = -7;
  EXPECT_ERROR(wrong.checked_size("f"), InvalidArgumentError,
               "f: a dimension cannot be negative. Got [2,-7].");
}

TEST(Shape, IsTakenApartAndPutTogether) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.with(1, 7), (Shape{2, 7, 4}));
  EXPECT_EQ(shape.without(0), (Shape{3, 4}));
  EXPECT_EQ(shape.without(2), (Shape{2, 3}));
  EXPECT_EQ(shape.with_inserted(0, 9), (Shape{9, 2, 3, 4}));
  EXPECT_EQ(shape.with_inserted(3, 9), (Shape{2, 3, 4, 9}));
  EXPECT_EQ(shape.slice(1, 3), (Shape{3, 4}));
  EXPECT_EQ(shape.slice(1, 1), Shape());
  EXPECT_EQ((Shape{2} + Shape{} + Shape{3, 4}), shape);
  EXPECT_ERROR((shape + shape + shape), InvalidArgumentError, "at most 8 dimensions");
  EXPECT_NE(shape, (Shape{2, 3}));
  EXPECT_NE(shape, (Shape{2, 3, 5}));
}

TEST(Shape, NormalizesAnAxis) {
  for (int axis = -3; axis < 3; ++axis)
    EXPECT_EQ(normalize_axis("f", axis, 3), (axis + 3) % 3) << axis;
  EXPECT_ERROR(normalize_axis("f", 3, 3), InvalidArgumentError,
               "f: axis 3 is out of range for 3 dimensions.");
  EXPECT_ERROR(normalize_axis("f", -4, 3), InvalidArgumentError, "f: axis -4 is out of range");
  EXPECT_ERROR(normalize_axis("f", 1, 1), InvalidArgumentError,
               "f: axis 1 is out of range for 1 dimension.");
  EXPECT_ERROR(normalize_axis("f", 0, 0), InvalidArgumentError, "for 0 dimensions.");
  EXPECT_ERROR(normalize_axis("f", -1, 0), InvalidArgumentError, "for 0 dimensions.");
  EXPECT_ERROR(normalize_axis("f", int64_t{1} << 32, 3), InvalidArgumentError, "out of range");
}

TEST(Shape, Broadcasts) {
  constexpr int64_t u = kUnknown;
  struct Case {
    Shape a, b, result;
  };
  const Case cases[] = {
      {{}, {}, {}},
      {{3}, {}, {3}},
      {{2, 3}, {3}, {2, 3}},
      {{2, 1}, {1, 3}, {2, 3}},
      {{2, 3, 4}, {3, 1}, {2, 3, 4}},
      {{0}, {1}, {0}},
      {{5, 0}, {5, 1}, {5, 0}},
      {{u}, {u}, {u}},
      {{u}, {1}, {u}},
      {{u}, {}, {u}},
      {{u}, {5}, {5}},
      {{u}, {0}, {0}},
      {{2, u}, {u, 3}, {2, 3}},
      {{u, 1}, {1, u}, {u, u}},
      {{1, 2, 3, 4, 5, 6, 7, 8}, {8}, {1, 2, 3, 4, 5, 6, 7, 8}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(broadcast("f", c.a, c.b), c.result) << to_string(c.a) << to_string(c.b);
    EXPECT_EQ(broadcast("f", c.b, c.a), c.result) << to_string(c.b) << to_string(c.a);
  }
  EXPECT_ERROR(broadcast("f", {2, 3}, {2}), InvalidArgumentError,
               "f: the shapes [2,3] and [2] do not broadcast: 3 is neither 2 nor 1.");
  EXPECT_ERROR(broadcast("f", {0}, {2}), InvalidArgumentError, "do not broadcast");
  EXPECT_ERROR(broadcast("f", {2}, {0}), InvalidArgumentError, "do not broadcast");
  EXPECT_ERROR(broadcast("f", {u, 3}, {2, 4}), InvalidArgumentError, "[?,3] and [2,4]");
}

TEST(Shape, IsCompatibleWhereBothAreKnown) {
  EXPECT_TRUE(compatible({2, 3}, {2, 3}));
  EXPECT_TRUE(compatible({2, kUnknown}, {kUnknown, 3}));
  EXPECT_TRUE(compatible({}, {}));
  EXPECT_FALSE(compatible({2, 3}, {2, 4}));
  EXPECT_FALSE(compatible({2, 3}, {2}));
  EXPECT_FALSE(compatible({1}, {2}));
}

TEST(Spec, SaysWhatATensorIs) {
  const Spec spec{float32, {8, kUnknown, 3}};
  EXPECT_EQ(fmt::format("{}", spec), "float32[8,?,3]");
  EXPECT_EQ(spec.with(int8).dtype, int8);
  EXPECT_EQ(spec.with(Shape{2}).shape, Shape{2});
  EXPECT_EQ(spec.with(Shape{2, 5}).bytes(), 40);
  EXPECT_NE(spec, spec.with(int8));
}
