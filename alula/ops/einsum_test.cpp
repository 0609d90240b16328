#include "alula/ops/einsum.h"

#include <map>

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// The sum over all values of all axes, one product at a time. No "...".
Array reference(const std::string& equation, const std::vector<Array>& operands) {
  const size_t arrow = equation.find("->");
  std::vector<std::string> terms(1);
  for (char c : equation.substr(0, arrow)) {
    if (c == ',')
      terms.emplace_back();
    else
      terms.back() += c;
  }
  const std::string output = equation.substr(arrow + 2);
  std::map<char, int64_t> sizes;
  for (size_t i = 0; i < terms.size(); ++i)
    for (size_t k = 0; k < terms[i].size(); ++k)
      sizes[terms[i][k]] = operands[i].shape[static_cast<int>(k)];
  Shape all, shape;
  std::string order;
  for (const auto& [label, size] : sizes) {
    all.push_back(size);
    order += label;
  }
  for (char label : output) shape.push_back(sizes[label]);
  Array result(shape);
  for_each_index(all, [&](const Shape& index) {
    const auto pick = [&](const std::string& labels) {
      Shape part;
      for (char label : labels) part.push_back(index[static_cast<int>(order.find(label))]);
      return part;
    };
    double product = 1;
    for (size_t i = 0; i < terms.size(); ++i) product *= operands[i][pick(terms[i])];
    result[pick(output)] += product;
  });
  return result;
}

void check_equation(const std::string& equation, const std::vector<Shape>& shapes,
                    DType dtype = float64) {
  SCOPED_TRACE(equation);
  std::vector<Tensor> operands;
  for (const Shape& shape : shapes) operands.push_back(random_tensor({dtype, shape}));
  OpTest::check([&](const std::vector<Tensor>& in) { return einsum(equation, in); }, operands,
                [&](const std::vector<Array>& in) { return reference(equation, in); },
                {.scale = 20});
}

}  // namespace

TEST(Einsum, AgreesWithThePlainSum) {
  check_equation("ij,jk->ik", {{3, 4}, {4, 5}});
  check_equation("ij,jk->ik", {{3, 4}, {4, 5}}, float32);
  check_equation("ij,jk->ik", {{3, 4}, {4, 5}}, int32);
  check_equation("ij,kj->ik", {{3, 4}, {5, 4}});
  check_equation("ji,jk->ki", {{4, 3}, {4, 5}});
  check_equation("bij,bjk->bik", {{2, 3, 4}, {2, 4, 5}});
  check_equation("bhqd,bhkd->bhqk", {{2, 3, 4, 5}, {2, 3, 6, 5}});
  check_equation("bqhd,bkhd->bhqk", {{2, 4, 3, 5}, {2, 6, 3, 5}});
  check_equation("i,j->ij", {{3}, {4}});
  check_equation("i,i->", {{7}, {7}});
  check_equation("ij,ij->ij", {{3, 4}, {3, 4}});
  check_equation("ij->ji", {{3, 4}});
  check_equation("ijk->", {{2, 3, 4}});
  check_equation("ijk->j", {{2, 3, 4}});
  check_equation("ii->i", {{4, 4}});
  check_equation("ii->", {{4, 4}});
  check_equation("iji->j", {{4, 3, 4}});
  check_equation("iii->i", {{3, 3, 3}});
  check_equation("ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 5}});
  check_equation("ij,k->i", {{2, 3}, {4}});
  check_equation("ij,jk->ik", {{0, 4}, {4, 5}});
  check_equation("ij,jk->ik", {{3, 0}, {0, 5}});
}

TEST(Einsum, FillsInTheResult) {
  const Tensor a = random_tensor({float32, {3, 4}}), b = random_tensor({float32, {4, 5}});
  expect_equal(einsum("ij,jk", {a, b}), to_array(einsum("ij,jk->ik", {a, b})), float32);
  expect_equal(einsum("ba", {a}), to_array(einsum("ba->ab", {a})), float32);
  expect_equal(einsum(" i j , j k -> i k ", {a, b}), to_array(einsum("ij,jk->ik", {a, b})),
               float32);
}

TEST(Einsum, BroadcastsBehindDots) {
  const Tensor a = random_tensor({float32, {2, 1, 3, 4}}), b = random_tensor({float32, {5, 4, 6}});
  const Tensor product = einsum("...ij,...jk->...ik", {a, b});
  EXPECT_EQ(product.shape(), (Shape{2, 5, 3, 6}));
  const Tensor left = random_tensor({float32, {2, 5, 3, 4}}),
               right = random_tensor({float32, {2, 5, 4, 6}});
  expect_equal(einsum("...ij,...jk->...ik", {left, right}),
               to_array(einsum("abij,abjk->abik", {left, right})), float32);
  EXPECT_EQ(einsum("...ij->...ji", {a}).shape(), (Shape{2, 1, 4, 3}));
  EXPECT_EQ(einsum("i...->...", {b}).shape(), (Shape{4, 6}));
}

TEST(Einsum, HasGradientsWhereItBroadcasts) {
  OpTest::compare_gradient(
      [](const std::vector<Tensor>& in) { return einsum("...ij,...jk->...ik", in); },
      {random_tensor({float64, {2, 1, 3, 4}}), random_tensor({float64, {5, 4, 6}})});
}

TEST(Einsum, RefusesWhatDoesNotFit) {
  const Tensor a = random_tensor({float32, {3, 4}}), b = random_tensor({float32, {5, 6}});
  EXPECT_ERROR(einsum("ij,jk->ik", {a, b}), InvalidArgumentError,
               "the axis 'j' has two sizes, 4 and 5");
  EXPECT_ERROR(einsum("ij->ij", {a, b}), InvalidArgumentError, "names 1 operands. Got 2");
  EXPECT_ERROR(einsum("ijk->i", {a}), InvalidArgumentError, "has 2 axes, but \"ijk\" names 3");
  EXPECT_ERROR(einsum("ij->iz", {a}), InvalidArgumentError, "no operand has the axis 'z'");
  EXPECT_ERROR(einsum("ij->ii", {a}), InvalidArgumentError, "names 'i' twice");
  EXPECT_ERROR(einsum("i1->i", {a}), InvalidArgumentError, "'1' is not an axis's name");
  EXPECT_ERROR(einsum("ii->i", {a}), InvalidArgumentError, "differ in size");
  EXPECT_ERROR(einsum("ij->ij", std::span<const Tensor>{}), InvalidArgumentError, "Got none");
  EXPECT_ERROR(einsum("ij->ij", {Tensor()}), InvalidArgumentError, "not defined");
}
