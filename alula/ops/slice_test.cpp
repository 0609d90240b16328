#include "alula/ops/slice.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(slice) {
  struct Case {
    Shape from;
    Ints begin, size;
    Shape expected;
  };
  const std::vector<Case> cases = {{{}, {}, {}, {}},
                                   {{5}, {1}, {3}, {3}},
                                   {{5}, {5}, {0}, {0}},
                                   {{5}, {2}, {-1}, {3}},
                                   {{4, 6}, {1, 2}, {2, 3}, {2, 3}},
                                   {{4, 6}, {1, 0}, {2, -1}, {2, 6}},
                                   {{4, 6}, {0, 5}, {-1, 1}, {4, 1}},
                                   {{0, 6}, {0, 1}, {0, 2}, {0, 2}},
                                   {{3, 17, 9}, {1, 1, 1}, {2, 15, 7}, {2, 15, 7}},
                                   {{200, 150}, {3, 10}, {190, 133}, {190, 133}}};
  const auto check = [](DType dtype, const Case& c) {
    OpTest::check([&](const auto& in) { return slice(in[0], c.begin, c.size); },
                  {varied(dtype, c.from)},
                  [&](const std::vector<Array>& in) {
                    return moved(in[0], c.expected, [&](const Shape& index) {
                      Shape source = index;
                      for (int i = 0; i < index.rank(); ++i) source[i] += c.begin[i];
                      return source;
                    });
                  });
  };
  for (const DType dtype : every_dtype())
    for (const Case& c : cases) check(dtype, c);
  check(float32, {{400, 500}, {1, 1}, {398, 498}, {398, 498}});

  const Tensor x = varied(float32, {4, 6});
  EXPECT_ERROR(slice(x, {0}, {1}), InvalidArgumentError, "a number for each dimension");
  EXPECT_ERROR(slice(x, {0, 5}, {1, 2}), InvalidArgumentError, "leaves dimension 1");
  EXPECT_ERROR(slice(x, {5, 0}, {-1, 1}), InvalidArgumentError, "leaves dimension 0");
  EXPECT_ERROR(slice(x, {0, 1}, {1, INT64_MAX}), InvalidArgumentError, "leaves dimension 1");
  EXPECT_ERROR(slice(x, {-1, 0}, {1, 1}), InvalidArgumentError, "cannot be negative");
  EXPECT_ERROR(slice(x, {0, 0}, {1, -2}), InvalidArgumentError, "cannot be negative");
}

TEST(Slice, TakesUnknownDimensions) {
  EXPECT_EQ(inferred(Slice({0, 1}, {2, -1}), {{float32, {kUnknown, 6}}}), "[2,5]");
  EXPECT_EQ(inferred(Slice({1, 1}, {-1, 2}), {{float32, {kUnknown, 6}}}), "[?,2]");
}
