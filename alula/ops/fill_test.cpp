#include "alula/ops/fill.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

const std::vector<Shape> kShapes = {{}, {0}, {7}, {15, 17}, {2, 0, 3}, {400, 300}};

Reference all(double value, const Shape& shape) {
  return [=](const std::vector<Array>&) {
    return Array(shape, std::vector<double>(static_cast<size_t>(shape.size()), value));
  };
}

}  // namespace

OP_TEST(fill) {
  for (const DType dtype : every_dtype())
    for (const Shape& shape : kShapes) {
      if (dtype == string) continue;
      OpTest::check([&](const auto&) { return zeros(shape, dtype); }, {}, all(0, shape), dtype);
      OpTest::check([&](const auto&) { return ones(shape, dtype); }, {}, all(1, shape), dtype);
      if (dtype != boolean)
        OpTest::check([&](const auto&) { return fill(shape, 100, dtype); }, {}, all(100, shape),
                      dtype);
    }
  OpTest::check([](const auto&) { return fill({3}, 2.5); }, {}, all(2.5, {3}), float32);
  OpTest::check([](const auto&) { return fill({3}, -7); }, {}, all(-7, {3}), int32);
  OpTest::check([](const auto&) { return fill({3}, true); }, {}, all(1, {3}), boolean);
  EXPECT_EQ(fill({2}, UINT64_MAX, uint64).to_vector<uint64_t>()[1], UINT64_MAX);
  EXPECT_ERROR(fill({3}, 2.5, int32), InvalidArgumentError, "2.5 is not a value of int32");
  EXPECT_ERROR(fill({3}, 2, boolean), InvalidArgumentError, "2 is not a value of bool");
  EXPECT_ERROR(zeros({3}, string), InvalidArgumentError, "0 is not a value of string");
  EXPECT_ERROR(zeros({1LL << 40, 1LL << 40}), InvalidArgumentError, "too many elements");
  EXPECT_ERROR(zeros({kUnknown}), InvalidArgumentError, "unknown dimension");
  EXPECT_EQ(to_string(Fill({kUnknown, 2}, 1, int8).infer(SpecRefs({}))[0].shape), "[?,2]");
}

OP_TEST(zeros_like) {
  for (const DType dtype : every_dtype())
    for (const Shape& shape : kShapes)
      if (dtype != string)
        OpTest::check([](const auto& in) { return zeros_like(in[0]); }, {varied(dtype, shape)},
                      all(0, shape));
  EXPECT_ERROR(zeros_like(Tensor("a")), InvalidArgumentError, "zeros_like: takes");
  EXPECT_EQ(inferred(ZerosLike(), {{float32, {kUnknown}}}), "[?]");
}

OP_TEST(ones_like) {
  for (const DType dtype : every_dtype())
    for (const Shape& shape : kShapes)
      if (dtype != string)
        OpTest::check([](const auto& in) { return ones_like(in[0]); }, {varied(dtype, shape)},
                      all(1, shape));
  EXPECT_ERROR(ones_like(Tensor("a")), InvalidArgumentError, "ones_like: takes");
  EXPECT_EQ(inferred(OnesLike(), {{float32, {kUnknown}}}), "[?]");
}
