#include "alula/ops/nonzero.h"

#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(nonzero) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == string) continue;
    check([](const std::vector<Tensor>& in) { return nonzero(in[0]); },
          {cast(Tensor{{1, 0, 1}, {0, 0, 1}}, dtype)},
          [](const auto&) {
            Array rows({3, 2});
            rows.values = {0, 0, 0, 2, 1, 2};
            return rows;
          },
          int64);
  }
  // So many that kernels find them, where there are some.
  for (DType dtype : {boolean, float32, int64}) {
    const Tensor x = cast(mod(range(0, 70 * 80, 1, int32), 7) < 2, dtype);
    for (const Shape& shape : {Shape{5600}, Shape{70, 80}, Shape{4, 1400, 1}})
      check([](const std::vector<Tensor>& in) { return nonzero(in[0]); }, {reshape(x, shape)},
            [](const std::vector<Array>& in) {
              std::vector<double> coordinates;
              for (int64_t i = 0; i < in[0].size(); ++i) {
                if (in[0].values[i] == 0) continue;
                int64_t below = in[0].size();
                for (int64_t length : in[0].shape) {
                  below /= length;
                  coordinates.push_back(static_cast<double>(i / below % length));
                }
              }
              const int rank = in[0].shape.rank();
              Array rows({static_cast<int64_t>(coordinates.size()) / rank, rank});
              rows.values = std::move(coordinates);
              return rows;
            },
            int64);
  }
  check([](const std::vector<Tensor>& in) { return nonzero(in[0]); }, {zeros({5000})},
        [](const auto&) { return Array({0, 1}); }, int64);
}

OP_TEST(unique) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == string || dtype == boolean) continue;
    for (DType out : {int32, int64})
      check([&](const std::vector<Tensor>& in) { return unique(in[0], out).idx; },
            {cast(Tensor{4, 1, 4, 7, 1}, dtype)},
            [](const auto&) {
              Array idx({5});
              idx.values = {0, 1, 0, 2, 1};
              return idx;
            },
            out);
  }
  check([](const std::vector<Tensor>& in) { return unique(in[0]).y; }, {Tensor{true, true}},
        [](const auto&) {
          Array y({1});
          y.values = {1};
          return y;
        });
  check([](const std::vector<Tensor>& in) { return unique(in[0]).count; }, {Tensor{"1", "2", "1"}},
        [](const auto&) {
          Array count({2});
          count.values = {2, 1};
          return count;
        },
        int32);
  // Many, which are sorted where there are kernels.
  std::vector<float> values;
  for (int i = 0; i < 5000; ++i) values.push_back(static_cast<float>((i * 37 + 11) % 101 - 50));
  values[7] = -0.f;
  values[8] = values[4000] = NAN;
  // By their first places, NaN different from all.
  std::vector<float> y;
  Array idx({5000}), count({0});
  for (size_t i = 0; i < values.size(); ++i) {
    size_t k = 0;
    while (k < y.size() && y[k] != values[i]) ++k;
    if (k == y.size()) {
      y.push_back(values[i]);
      count.values.push_back(0);
    }
    ++count.values[k];
    idx.values[i] = static_cast<double>(k);
  }
  count.shape = {static_cast<int64_t>(y.size())};
  for (DType dtype : {float32, float64, bfloat16}) {
    const Tensor x = cast(Tensor(values), dtype);
    check([](const std::vector<Tensor>& in) { return unique(in[0]).idx; }, {x},
          [&](const auto&) { return idx; }, int32);
    check([](const std::vector<Tensor>& in) { return unique(in[0], int64).count; }, {x},
          [&](const auto&) { return count; }, int64);
    check([](const std::vector<Tensor>& in) { return unique(in[0]).y; }, {x},
          [&](const auto&) { return to_array(Tensor(y)); }, dtype);
  }
}

TEST(NonZero, OfScalarsAndNothing) {
  EXPECT_EQ(to_string(nonzero(Tensor(true)).shape()), "[1,0]");
  EXPECT_EQ(to_string(nonzero(Tensor(0.f)).shape()), "[0,0]");
  EXPECT_EQ(to_string(nonzero(zeros({0, 3})).shape()), "[0,2]");
  EXPECT_ERROR(nonzero(Tensor{"a"}), InvalidArgumentError, "nonzero: takes");
}

TEST(Unique, TakesVectorsAndNaN) {
  const UniqueResult result = unique(Tensor{NAN, 1.f, NAN});
  EXPECT_EQ(result.idx.to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(result.count.to_vector<int32_t>(), (std::vector<int32_t>{1, 1, 1}));
  EXPECT_ERROR(unique(zeros({2, 2})), InvalidArgumentError, "unique: takes a vector");
  EXPECT_ERROR(unique(zeros({2}), float32), InvalidArgumentError, "out_idx is int32 or int64");
}

TEST(BooleanMask, CoversSomeDimensions) {
  const Tensor x = {{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(boolean_mask(x, {true, false, true}).to_vector<int32_t>(),
            (std::vector<int32_t>{1, 2, 5, 6}));
  EXPECT_EQ(boolean_mask(x, {false, true}, {.axis = 1}).to_vector<int32_t>(),
            (std::vector<int32_t>{2, 4, 6}));
  const Tensor both = boolean_mask(x, x > 2);
  EXPECT_EQ(both.to_vector<int32_t>(), (std::vector<int32_t>{3, 4, 5, 6}));
  EXPECT_ERROR(boolean_mask(x, {true}), InvalidArgumentError, "must have the dimensions of x");
  EXPECT_ERROR(boolean_mask(x, {1, 0, 1}), InvalidArgumentError, "the mask must be bool");
  OpTest::compare_gradient(
      [](const std::vector<Tensor>& in) {
        return square(boolean_mask(in[0], {true, false, true}));
      },
      {Tensor(std::vector<double>{1, 2, 3})});
}
