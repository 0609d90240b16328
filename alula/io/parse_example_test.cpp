#include "alula/io/parse_example.h"

#include "alula/graph/function.h"
#include "alula/graph/vectorized_map.h"
#include "alula/io/mutations_test.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;
using io::Example;
using io::FixedLenFeature;
using io::VarLenFeature;

namespace {

using Texts = std::vector<std::string>;

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

// Written by TensorFlow: a = [1, 2], b = [-3], c = ["x", "yz"], e of no kind; and a = [5, 6], c =
// ["q"].
const std::string kFirst = from_hex(
    "0a3f0a050a016512000a130a0162120e1a0c0a0afdffffffffffffffff010a0e0a016312090a070a01780a02797a0a"
    "110a0161120c120a0a080000803f00000040");
const std::string kSecond =
    from_hex("0a1f0a0a0a016312050a030a01710a110a0161120c120a0a080000a0400000c040");
const Tensor kBoth(Texts{kFirst, kSecond});

Tensor only(const Tensor& examples, const io::FeatureSpec& spec, const char* name) {
  return io::parse_example(examples, {{name, spec}}).at(name);
}

}  // namespace

TEST(ParseExample, ReadsWhatTensorFlowWrote) {
  const auto features = io::parse_example(kBoth, {{"a", FixedLenFeature{{2}, float32}},
                                                  {"b", FixedLenFeature{{}, int64, Tensor(9)}},
                                                  {"c", VarLenFeature{string}}});
  ASSERT_EQ(features.size(), 3u);
  expect_equal(features.at("a"), {{2, 2}, {1, 2, 5, 6}}, float32);
  expect_equal(features.at("b"), {{2}, {-3, 9}}, int64);
  EXPECT_EQ(to_string(features.at("c").spec()), "string[2,2]");
  EXPECT_EQ(features.at("c").to_vector<std::string>(), (Texts{"x", "yz", "q", ""}));

  expect_equal(only(kBoth, FixedLenFeature{{2, 1}, float32}, "a"), {{2, 2, 1}, {1, 2, 5, 6}},
               float32);
  expect_equal(only(kBoth, VarLenFeature{int64}, "b"), {{2, 1}, {-3, 0}}, int64);
  EXPECT_EQ(to_string(only(kBoth, VarLenFeature{int64}, "zz").spec()), "int64[2,0]");
  expect_equal(only(kBoth, FixedLenFeature{{2}, float32, Tensor{1, 2}}, "zz"),
               {{2, 2}, {1, 2, 1, 2}}, float32);
  expect_equal(only(kBoth, FixedLenFeature{{2}, float32, Tensor(7.f)}, "zz"),
               {{2, 2}, {7, 7, 7, 7}}, float32);
  expect_equal(only(kBoth, FixedLenFeature{{}, int64, Tensor(4)}, "e"), {{2}, {4, 4}}, int64);
  EXPECT_EQ(to_string(only(Tensor(Texts()), FixedLenFeature{{2}, float32}, "a").spec()),
            "float32[0,2]");
  expect_equal(only(Tensor{""}, FixedLenFeature{{}, int64, Tensor(4)}, "a"), {{1}, {4}}, int64);
}

TEST(ParseExample, ReadsASingleOne) {
  const auto features = io::parse_single_example(
      Tensor(kFirst), {{"a", FixedLenFeature{{2}, float32}}, {"c", VarLenFeature{string}}});
  expect_equal(features.at("a"), {{2}, {1, 2}}, float32);
  EXPECT_EQ(features.at("c").to_vector<std::string>(), (Texts{"x", "yz"}));
  EXPECT_EQ(features.at("c").rank(), 1);
  EXPECT_ERROR(io::parse_single_example(kBoth, {{"a", VarLenFeature{}}}), InvalidArgumentError,
               "parse_single_example: takes one example, a scalar. Got string[2].");
}

TEST(ParseExample, ReadsWhatItWrites) {
  const std::string bytes = io::serialize_example(
      {{"image", Tensor{{1.f, 2.f}, {3.f, 4.f}}}, {"label", Tensor(7)}, {"name", Tensor("seven")}});
  const auto features =
      io::parse_single_example(Tensor(bytes), {{"image", FixedLenFeature{{2, 2}, float32}},
                                               {"label", FixedLenFeature{{}, int64}},
                                               {"name", FixedLenFeature{{}, string}}});
  expect_equal(features.at("image"), {{2, 2}, {1, 2, 3, 4}}, float32);
  EXPECT_EQ(features.at("label").item<int64_t>(), 7);
  EXPECT_EQ(features.at("name").item<std::string>(), "seven");
  EXPECT_EQ(io::feature_of(Tensor{true, false}), io::Feature(std::vector<int64_t>{1, 0}));
  EXPECT_EQ(io::feature_of(constant({0.5}, float64)), io::Feature(0.5f));
  // The last of two features of one name counts, as in TensorFlow.
  const std::string twice = Example{{{"a", 1}}}.bytes() + Example{{{"a", 2}}}.bytes();
  EXPECT_EQ(only(Tensor(twice), FixedLenFeature{{}, int64}, "a").item<int64_t>(), 2);
}

TEST(ParseExample, SaysWhatIsWrong) {
  EXPECT_ERROR(only(kBoth, FixedLenFeature{{}, int64}, "b"), InvalidArgumentError,
               "parse_example: example 1 has no feature \"b\", which has no default.");
  EXPECT_ERROR(only(kBoth, FixedLenFeature{{2}, int64}, "a"), InvalidArgumentError,
               "parse_example: the feature \"a\" of example 0 holds float32, not int64.");
  EXPECT_ERROR(only(kBoth, VarLenFeature{string}, "a"), InvalidArgumentError,
               "holds float32, not strings");
  EXPECT_ERROR(only(kBoth, FixedLenFeature{{3}, float32}, "a"), InvalidArgumentError,
               "parse_example: the feature \"a\" of example 0 has 2 values, but its shape is [3].");
  EXPECT_ERROR(only(Tensor(Texts{kFirst, "\xff\xff"}), VarLenFeature{}, "a"), DataLossError,
               "parse_example: example 1 cannot be read. ");
  EXPECT_ERROR(only(kBoth, FixedLenFeature{{}, int32}, "a"), InvalidArgumentError,
               "a feature is one of");
  EXPECT_ERROR(only(kBoth, FixedLenFeature{{kUnknown}, int64}, "a"), InvalidArgumentError,
               "the shape of \"a\" must be known. Got [?].");
  EXPECT_ERROR(only(kBoth, FixedLenFeature{{2}, int64, Tensor{1, 2, 3}}, "a"), InvalidArgumentError,
               "must be a scalar or of its shape [2]. Got int32[3].");
  EXPECT_ERROR(only(kBoth, FixedLenFeature{{2}, int64, Tensor("a")}, "a"), InvalidArgumentError,
               "must be of int64. Got string[].");
  EXPECT_ERROR(io::parse_example(kBoth, {}), InvalidArgumentError, "there is no feature to read");
  EXPECT_ERROR(only(Tensor(1), VarLenFeature{}, "a"), InvalidArgumentError,
               "parse_example: the examples must be strings. Got int32[].");
}

TEST(ParseExample, IsCompiledAndVectorized) {
  const auto sum = [](const Tensor& example) {
    const auto features = io::parse_single_example(
        example,
        {{"a", FixedLenFeature{{2}, float32}}, {"b", FixedLenFeature{{}, int64, Tensor(9)}}});
    return reduce_sum(features.at("a")) + cast(features.at("b"), float32);
  };
  const auto compiled = function(sum);
  EXPECT_EQ(compiled(Tensor(kFirst)).item<float>(), 0);
  EXPECT_EQ(compiled(Tensor(kSecond)).item<float>(), 20);
  expect_equal(vectorized_map(sum, kBoth), {{2}, {0, 20}}, float32);
  const auto first = [](const Tensor& example) {
    return io::parse_single_example(example, {{"a", VarLenFeature{}}}).at("a");
  };
  expect_equal(vectorized_map(first, kBoth), {{2, 2}, {1, 2, 5, 6}}, float32);
}

TEST(ParseExample, SurvivesDamage) {
  std::mt19937 random(1);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    const Tensor damaged(mutated(kFirst, random, {}));
    try {
      io::parse_single_example(damaged, {{"a", FixedLenFeature{{2}, float32, Tensor(0.f)}},
                                         {"b", VarLenFeature{int64}},
                                         {"c", VarLenFeature{string}}});
      ++read;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_LT(read, 19900);
}
