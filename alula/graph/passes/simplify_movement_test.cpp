#include "alula/graph/passes/pass_test.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::graph::testing;

namespace {

using Unary = std::function<Tensor(const Tensor&)>;

Tensor numbers(const Shape& shape) {
  return reshape(range(0, static_cast<double>(shape.size())), shape);
}

std::string left_of(const Unary& f, const Shape& shape) {
  return after(simplify, [&](const auto& in) { return std::vector{f(in[0])}; }, {numbers(shape)});
}

void expect_nothing_left(const Unary& f, const Shape& shape) {
  EXPECT_EQ(left_of(f, shape), "return %0\n");
}

void expect_reshape(const Unary& f, const Shape& shape, const Shape& to) {
  EXPECT_EQ(left_of(f, shape),
            fmt::format("%1 = reshape(shape={}) %0 : float32{}\nreturn %1\n", to, to));
}

}  // namespace

TEST(SimplifyMovement, Views) {
  expect_nothing_left([](const Tensor& x) { return identity(stop_gradient(x)); }, {2, 3});
  expect_nothing_left([](const Tensor& x) { return reshape(x, {2, -1}); }, {2, 3});
  expect_nothing_left([](const Tensor& x) { return reshape(reshape(x, {6}), {2, 3}); }, {2, 3});
  expect_nothing_left([](const Tensor& x) { return squeeze(expand_dims(x, 1), 1); }, {2, 3});
  expect_reshape([](const Tensor& x) { return expand_dims(reshape(x, {6}), 0); }, {2, 3}, {1, 6});
  expect_reshape([](const Tensor& x) { return reshape(expand_dims(x, 0), {3, -1}); }, {2, 3},
                 {3, 2});
  expect_nothing_left([](const Tensor& x) { return reshape(reshape(x, {0, 5}), {0, 3}); }, {0, 3});
}

TEST(SimplifyMovement, Transpositions) {
  expect_nothing_left([](const Tensor& x) { return transpose(x, {0, 1, 2}); }, {2, 3, 4});
  expect_nothing_left([](const Tensor& x) { return transpose(transpose(x, {1, 2, 0}), {2, 0, 1}); },
                      {2, 3, 4});
  EXPECT_EQ(left_of([](const Tensor& x) { return transpose(transpose(x, {1, 2, 0}), {1, 2, 0}); },
                    {2, 3, 4}),
            "%1 = transpose(perm=[2,0,1]) %0 : float32[4,2,3]\nreturn %1\n");
  expect_reshape([](const Tensor& x) { return transpose(x, {1, 0, 2}); }, {2, 1, 4}, {1, 2, 4});
  expect_reshape([](const Tensor& x) { return transpose(x); }, {1, 5}, {5, 1});
  EXPECT_EQ(left_of([](const Tensor& x) { return transpose(x); }, {2, 3}),
            "%1 = transpose(perm=all) %0 : float32[3,2]\nreturn %1\n");
}

TEST(SimplifyMovement, ProductsReadTransposedMatrices) {
  const auto text = [](const auto& f, const Shape& a, const Shape& b) {
    return after(simplify, [&](const auto& in) { return std::vector{f(in[0], in[1])}; },
                 {numbers(a), numbers(b)});
  };
  EXPECT_EQ(text([](const Tensor& a, const Tensor& b) { return matmul(transpose(a), b); }, {3, 2},
                 {3, 4}),
            "%2 = matmul(transpose_a=true) %0 %1 : float32[2,4]\nreturn %2\n");
  EXPECT_EQ(text(
                [](const Tensor& a, const Tensor& b) {
                  return matmul(a, transpose(b, {0, 2, 1}), {.transpose_b = true});
                },
                {5, 2, 3}, {5, 3, 4}),
            "%2 = matmul %0 %1 : float32[5,2,4]\nreturn %2\n");
  // Here batches change places, too.
  EXPECT_NE(text([](const Tensor& a, const Tensor& b) { return matmul(transpose(a), b); },
                 {3, 2, 5}, {5, 3, 4})
                .find("transpose("),
            std::string::npos);
}

TEST(SimplifyMovement, Broadcasts) {
  expect_nothing_left([](const Tensor& x) { return broadcast_to(x, {2, 3}); }, {2, 3});
  expect_reshape([](const Tensor& x) { return broadcast_to(x, {1, 2, 3}); }, {2, 3}, {1, 2, 3});
  EXPECT_EQ(
      left_of([](const Tensor& x) { return broadcast_to(broadcast_to(x, {2, 3}), {4, 2, 3}); },
              {3}),
      "%1 = broadcast_to(shape=[4,2,3]) %0 : float32[4,2,3]\nreturn %1\n");
  const auto text = [](const auto& f, const Shape& a, const Shape& b) {
    return after(simplify, [&](const auto& in) { return std::vector{f(in[0], in[1])}; },
                 {numbers(a), numbers(b)});
  };
  EXPECT_EQ(text([](const Tensor& a, const Tensor& b) { return broadcast_to(a, {2, 3}) + b; }, {3},
                 {2, 3}),
            "%2 = add %0 %1 : float32[2,3]\nreturn %2\n");
  EXPECT_EQ(
      text([](const Tensor& a, const Tensor& b) { return expand_dims(a, 0) + b; }, {3}, {2, 3}),
      "%2 = add %0 %1 : float32[2,3]\nreturn %2\n");
  // Of two that are broadcast one must stay, or the result would be smaller.
  EXPECT_EQ(text([](const Tensor& a,
                    const Tensor& b) { return broadcast_to(a, {2, 3}) + broadcast_to(b, {2, 3}); },
                 {3}, {3}),
            "%2 = broadcast_to(shape=[2,3]) %1 : float32[2,3]\n"
            "%3 = add %0 %2 : float32[2,3]\nreturn %3\n");
}

TEST(SimplifyMovement, OpsThatGiveAllOfTheirInput) {
  expect_nothing_left([](const Tensor& x) { return slice(x, {0, 0}, {2, -1}); }, {2, 3});
  expect_nothing_left([](const Tensor& x) { return at(x, {kAll, kEllipsis}); }, {2, 3});
  expect_reshape([](const Tensor& x) { return at(x, {kAll, kNewAxis}); }, {2, 3}, {2, 1, 3});
  expect_reshape([](const Tensor& x) { return at(x, {0}); }, {1, 3}, {3});
  expect_nothing_left([](const Tensor& x) { return concat({x}, 1); }, {2, 3});
  expect_reshape([](const Tensor& x) { return stack({x}, 1); }, {2, 3}, {2, 1, 3});
  expect_nothing_left([](const Tensor& x) { return split(x, 1)[0]; }, {2, 3});
  expect_reshape([](const Tensor& x) { return unstack(x)[0]; }, {1, 3}, {3});
  expect_nothing_left([](const Tensor& x) { return pad(x, {{0, 0}, {0, 0}}); }, {2, 3});
  expect_nothing_left([](const Tensor& x) { return tile(x, {1, 1}); }, {2, 3});
  expect_nothing_left([](const Tensor& x) { return reverse(x, 0); }, {1, 3});
  expect_nothing_left([](const Tensor& x) { return roll(x, {2}, {0}); }, {2, 3});
  EXPECT_EQ(left_of([](const Tensor& x) { return at(x, {Index(0, Index::kEnd, 1), Index(1, 3)}); },
                    {2, 3})
                .substr(0, 18),
            "%1 = strided_slice");
}

TEST(SimplifyMovement, ReductionsOfOneElement) {
  expect_nothing_left(
      [](const Tensor& x) { return reduce_sum(x, {.axis = std::vector<int64_t>()}); }, {2, 3});
  expect_reshape([](const Tensor& x) { return reduce_mean(x, {.axis = {0, 2}}); }, {1, 3, 1}, {3});
  expect_nothing_left([](const Tensor& x) { return reduce_max(x, {.axis = 1, .keepdims = true}); },
                      {2, 1});
  EXPECT_EQ(left_of([](const Tensor& x) { return reduce_sum(x, {.axis = {0, 1}}); }, {1, 3}),
            "%1 = reduce_sum(axis=[0,1]) %0 : float32[]\nreturn %1\n");
}
