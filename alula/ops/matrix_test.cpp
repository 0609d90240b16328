#include "alula/ops/matrix.h"

#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Int32s = std::vector<int32_t>;
Int32s ints(const Tensor& x) { return x.to_vector<int32_t>(); }

}  // namespace

TEST(Matrix, TensorDot) {
  const Tensor a = reshape(range(24), {2, 3, 4}), b = reshape(range(12), {4, 3});
  const Tensor expected = einsum("ijk,kj->i", {a, b});
  EXPECT_EQ(ints(tensordot(a, b, {1, 2}, {1, 0})), ints(expected));
  EXPECT_EQ(ints(tensordot(a, b, 1)), ints(einsum("ijk,kl->ijl", {a, b})));
  EXPECT_EQ(to_string(tensordot(a, b, 0).shape()), "[2,3,4,4,3]");
  EXPECT_ERROR(tensordot(a, b, {0}, {0}), InvalidArgumentError, "the sizes of the axes differ");
  EXPECT_ERROR(tensordot(a, b, {0, 1}, {0}), InvalidArgumentError, "as many axes");
  EXPECT_ERROR(tensordot(a, b, 3), InvalidArgumentError, "between 0 and the ranks");
}

TEST(Matrix, MeshGrid) {
  const auto xy = meshgrid({Tensor{1, 2}, Tensor{3, 4, 5}});
  EXPECT_EQ(ints(xy[0]), (Int32s{1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(ints(xy[1]), (Int32s{3, 3, 4, 4, 5, 5}));
  const auto ij = meshgrid({Tensor{1, 2}, Tensor{3, 4, 5}}, Indexing::kIJ);
  EXPECT_EQ(to_string(ij[0].shape()), "[2,3]");
  EXPECT_EQ(ints(ij[0]), (Int32s{1, 1, 1, 2, 2, 2}));
  EXPECT_ERROR(meshgrid({zeros({2, 2})}), InvalidArgumentError, "takes vectors");
}

TEST(Matrix, Diagonals) {
  EXPECT_EQ(ints(linalg::diag(Tensor{1, 2})), (Int32s{1, 0, 0, 2}));
  EXPECT_EQ(ints(linalg::diag(Tensor{1, 2}, 1)), (Int32s{0, 1, 0, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(ints(linalg::diag(Tensor{1}, -1)), (Int32s{0, 0, 1, 0}));
  EXPECT_EQ(to_string(linalg::diag(zeros({4, 3})).shape()), "[4,3,3]");
  const Tensor x = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(ints(linalg::diag_part(x)), (Int32s{1, 5}));
  EXPECT_EQ(ints(linalg::diag_part(x, 1)), (Int32s{2, 6}));
  EXPECT_EQ(ints(linalg::diag_part(x, -1)), (Int32s{4}));
  EXPECT_EQ(ints(linalg::set_diag(x, {9, 8})), (Int32s{9, 2, 3, 4, 8, 6}));
  EXPECT_EQ(ints(linalg::set_diag(transpose(x), {9, 8})), (Int32s{9, 4, 2, 8, 3, 6}));
  EXPECT_EQ(ints(linalg::band_part(x, 0, -1)), (Int32s{1, 2, 3, 0, 5, 6}));
  EXPECT_EQ(ints(linalg::band_part(x, -1, 0)), (Int32s{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(ints(linalg::trace(x)), (Int32s{6}));
  EXPECT_ERROR(linalg::diag_part(x, 3), InvalidArgumentError, "there is no diagonal 3");
  EXPECT_ERROR(linalg::trace(Tensor{1, 2}), InvalidArgumentError, "takes matrices");
  EXPECT_ERROR(linalg::set_diag(x, {1, 2, 3}), InvalidArgumentError,
               "the diagonal must be [..., 2]");
  OpTest::compare_gradient(
      [](const std::vector<Tensor>& in) { return square(linalg::diag_part(linalg::diag(in[0]))); },
      {Tensor(std::vector<double>{1, 2, 3})});
}

TEST(Matrix, Products) {
  EXPECT_EQ(ints(linalg::cross(Tensor{1, 2, 3}, Tensor{4, 5, 6})), (Int32s{-3, 6, -3}));
  EXPECT_EQ(ints(linalg::matvec(Tensor{{1, 2}, {3, 4}}, Tensor{1, 1})), (Int32s{3, 7}));
  EXPECT_EQ(ints(linalg::matrix_transpose(Tensor{{1, 2}, {3, 4}})), (Int32s{1, 3, 2, 4}));
  EXPECT_ERROR(linalg::cross(Tensor{1, 2}, Tensor{1, 2}), InvalidArgumentError, "[..., 3]");
}
