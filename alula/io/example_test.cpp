#include "alula/io/example.h"

#include "alula/io/mutations_test.h"
#include "alula/io/protobuf.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;

namespace {

Example full() {
  return {{{"text", Feature(std::vector<std::string>{"a", "", std::string("\0\xff", 2)})},
           {"floats", Feature(std::vector<float>{1.5f, -2.f})},
           {"ints", Feature(std::vector<int64_t>{1, -1, 300})},
           {"none", Feature()},
           {"empty", Feature(std::vector<int64_t>{})}}};
}

}  // namespace

TEST(Example, IsWrittenAsTensorFlowDoes) {
  // Made by TensorFlow 2.21, by tf.train.Example(...).SerializeToString(deterministic=True).
  const std::string expected(
      "\012_\012\013\012\005empty\022\002\032\000\012\026\012\006floats\022\014\022\012\012"
      "\010\000\000\300\077\000\000\000\300\012\031\012\004ints\022\021\032\017\012\015\001"
      "\377\377\377\377\377\377\377\377\377\001\254\002\012\010\012\004none\022\000\012\023"
      "\012\004text\022\013\012\011\012\001a\012\000\012\002\000\377",
      97);
  EXPECT_EQ(full().bytes(), expected);
  EXPECT_EQ(parse_example_bytes(expected), full());
}

TEST(Example, TakesValuesOfManyTypes) {
  const Example example{{{"label", 7}, {"name", "x"}, {"weight", 0.5}}};
  const Example read = parse_example_bytes(example.bytes());
  EXPECT_EQ(read.at("label").ints, (std::vector<int64_t>{7}));
  EXPECT_EQ(read.at("name").bytes, (std::vector<std::string>{"x"}));
  EXPECT_EQ(read.at("weight").floats, (std::vector<float>{0.5f}));
  EXPECT_EQ(read.at("weight").kind, FeatureKind::kFloat);
  EXPECT_ERROR(read.at("nothing"), NotFoundError,
               "example: there is no feature \"nothing\" among the 3.");
  EXPECT_EQ(parse_example_bytes(""), Example{});
  EXPECT_ERROR((Example{{{"\xff", 1}}}).bytes(), InvalidArgumentError, "must be UTF-8");
}

// Readers must take numbers one by one, too; of what occurs twice, the later one counts.
TEST(Example, ReadsWhatOtherWritersMayWrite) {
  ProtoWriter floats, ints, both, later;
  floats.float32(1, 1.f).float32(1, 2.f).text(1, std::string_view("\0\0\x80\x3f", 4));
  ints.integer(1, -5).packed(1, std::vector<int64_t>{6, 7}).integer(9, 1);
  both.message(3, ints).message(2, floats).message(2, floats);
  later.message(2, floats).message(3, ints);
  ProtoWriter map;
  map.message(1, ProtoWriter().message(2, later).text(1, "late"));
  map.message(1, ProtoWriter().text(1, "x").message(2, later));
  map.message(1, ProtoWriter().text(1, "x").message(2, both));
  map.message(1, ProtoWriter().text(1, "bare"));
  const std::string bytes = ProtoWriter().integer(5, 1).message(1, map).bytes();
  const Example example = parse_example_bytes(bytes);
  EXPECT_EQ(example.features.size(), 3u);
  EXPECT_EQ(example.at("x"), Feature(std::vector<float>{1, 2, 1, 1, 2, 1}));
  EXPECT_EQ(example.at("late"), Feature(std::vector<int64_t>{-5, 6, 7}));
  EXPECT_EQ(example.at("bare"), Feature());
}

TEST(Example, CanBeReadInPlace) {
  const std::string bytes = full().bytes();
  size_t features = 0, values = 0;
  each_feature(bytes, "example", [&](std::string_view name, const FeatureView& feature) {
    ++features;
    values += feature.count();
    if (name == "ints") {
      EXPECT_EQ(feature.kind(), FeatureKind::kInt64);
      feature.each_float([](float) { ADD_FAILURE(); });
    }
  });
  EXPECT_EQ(features, 5u);
  EXPECT_EQ(values, 8u);
}

TEST(Example, SurvivesDamage) {
  const std::string good = full().bytes();
  std::mt19937 random(1);
  int thrown = 0;
  for (int round = 0; round < 3000; ++round) {
    try {
      parse_example_bytes(alula::testing::mutated(good, random, {}), "damaged");
    } catch (const DataLossError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("damaged: the message is damaged at byte"));
      ++thrown;
    }
  }
  EXPECT_GT(thrown, 1000);
}
