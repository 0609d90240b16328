#include "alula/ops/segment.h"

#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Int32s = std::vector<int32_t>;
Int32s ints(const Tensor& x) { return x.to_vector<int32_t>(); }

}  // namespace

OP_TEST(scatter_update) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    check(
        [](const std::vector<Tensor>& in) {
          return tensor_scatter_nd_update(in[0], Tensor{{2}, {0}}, in[1]);
        },
        {random_tensor({dtype, {4, 3}}), random_tensor({dtype, {2, 3}})},
        [](const std::vector<Array>& in) {
          Array y = in[0];
          for (int k = 0; k < 3; ++k) {
            y.values[6 + k] = in[1].values[k];
            y.values[k] = in[1].values[3 + k];
          }
          return y;
        });
  }
}

TEST(ScatterUpdate, TheLastOneCounts) {
  EXPECT_EQ(ints(tensor_scatter_nd_update(Tensor{1, 2, 3}, {{1}, {1}}, {8, 9})), (Int32s{1, 9, 3}));
  EXPECT_EQ(ints(tensor_scatter_nd_add(Tensor{1, 2, 3}, {{1}, {1}}, {8, 9})), (Int32s{1, 19, 3}));
  EXPECT_EQ(ints(tensor_scatter_nd_sub(Tensor{1, 2, 3}, {{0}}, {8})), (Int32s{-7, 2, 3}));
  EXPECT_ERROR(tensor_scatter_nd_update(Tensor{1, 2}, {{2}}, {9}), InvalidArgumentError,
               "index 2 of axis 0 is outside");
  EXPECT_ERROR(tensor_scatter_nd_update(Tensor{1, 2}, {{0}}, {9.f}), InvalidArgumentError,
               "must have the tensor's dtype");
}

TEST(Segment, SumsAndMeans) {
  const Tensor data = {{1, 2}, {3, 4}, {5, 6}}, ids = {1, -1, 1};
  EXPECT_EQ(ints(unsorted_segment_sum(data, ids, 3)), (Int32s{0, 0, 6, 8, 0, 0}));
  EXPECT_EQ(ints(unsorted_segment_mean(data, ids, 2)), (Int32s{0, 0, 3, 4}));
  EXPECT_EQ(ints(segment_sum(data, {0, 0, 2})), (Int32s{4, 6, 0, 0, 5, 6}));
  EXPECT_EQ(ints(segment_mean(data, {0, 0, 1})), (Int32s{2, 3, 5, 6}));
  const Tensor halves = unsorted_segment_sqrt_n(Tensor{1.f, 2.f, 3.f, 4.f}, {0, 0, 0, 0}, 1);
  EXPECT_EQ(halves.to_vector<float>(), (std::vector<float>{5}));
  EXPECT_ERROR(segment_sum(data, {1, 0, 0}), InvalidArgumentError, "ascending");
  EXPECT_ERROR(unsorted_segment_sum(data, {1, 0}, 2), InvalidArgumentError,
               "first dimensions of data");
}

TEST(Segment, Counts) {
  EXPECT_EQ(ints(bincount(Tensor{1, 1, 3})), (Int32s{0, 2, 0, 1}));
  EXPECT_EQ(ints(bincount(Tensor{1, 1, 3}, {}, {.minlength = 5})), (Int32s{0, 2, 0, 1, 0}));
  EXPECT_EQ(ints(bincount(Tensor{1, 1, 3}, {}, {.maxlength = 2})), (Int32s{0, 2}));
  EXPECT_EQ(bincount(Tensor{0, 2}, Tensor{0.5f, 1.5f}).to_vector<float>(),
            (std::vector<float>{0.5, 0, 1.5}));
  EXPECT_EQ(ints(confusion_matrix(Tensor{0, 1, 1}, Tensor{0, 1, 0})), (Int32s{1, 0, 1, 1}));
  EXPECT_EQ(ints(confusion_matrix(Tensor{0, 1}, Tensor{0, 1},
                                  {.num_classes = 3, .weights = Tensor{5, 7}})),
            (Int32s{5, 0, 0, 0, 7, 0, 0, 0, 0}));
  EXPECT_ERROR(confusion_matrix(Tensor{3}, Tensor{0}, {.num_classes = 2}), InvalidArgumentError,
               "is not below num_classes");
  EXPECT_ERROR(bincount(Tensor{-1}), InvalidArgumentError, "must not be negative");
}

TEST(Segment, MasksAndRepeats) {
  EXPECT_EQ(sequence_mask(Tensor{1, 3}).to_vector<bool>(),
            (std::vector<bool>{true, false, false, true, true, true}));
  EXPECT_EQ(ints(sequence_mask(Tensor{1}, {.maxlen = 2, .dtype = int32})), (Int32s{1, 0}));
  EXPECT_EQ(ints(repeat(Tensor{1, 2}, {1, 3}, 0)), (Int32s{1, 2, 2, 2}));
  EXPECT_EQ(ints(repeat(Tensor{{1, 2}}, {2}, 1)), (Int32s{1, 1, 2, 2}));
  EXPECT_ERROR(repeat(Tensor{1, 2, 3}, {1, 3}, 0), InvalidArgumentError, "one for each of 3");
}
