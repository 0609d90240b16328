#include "alula/io/decode_csv.h"

#include "alula/graph/function.h"
#include "alula/graph/vectorized_map.h"
#include "alula/io/mutations_test.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Texts = std::vector<std::string>;

const Tensor kInt = {0};
const Tensor kFloat = {0.f};
const Tensor kText = {""};

Tensor none_of(DType dtype) { return Tensor::uninitialized({dtype, {0}}); }

}  // namespace

TEST(DecodeCsv, GivesColumns) {
  const std::vector<Tensor> columns =
      io::decode_csv({"1,2.5,abc", "4,5,d e"}, {kInt, kFloat, kText});
  ASSERT_EQ(columns.size(), 3u);
  expect_equal(columns[0], {{2}, {1, 4}}, int32);
  expect_equal(columns[1], {{2}, {2.5, 5}}, float32);
  EXPECT_EQ(columns[2].to_vector<std::string>(), (Texts{"abc", "d e"}));

  expect_equal(io::decode_csv(Tensor("1,2"), {kInt, kInt})[1], {{}, {2}}, int32);
  expect_equal(io::decode_csv({{"1"}, {"2"}}, {kInt})[0], {{2, 1}, {1, 2}}, int32);
  EXPECT_EQ(io::decode_csv(Tensor(Texts()), {kInt})[0].size(), 0);
  expect_equal(
      io::decode_csv(Tensor("1e300,nan,0x10"), std::vector<Tensor>(3, zeros({1}, float64)))[0],
      {{}, {1e300}}, float64);
  EXPECT_EQ(io::decode_csv(Tensor("9223372036854775807"), {zeros({}, int64)})[0].item<int64_t>(),
            INT64_MAX);
}

TEST(DecodeCsv, TakesDefaultsForWhatIsMissing) {
  const std::vector<Tensor> columns =
      io::decode_csv(Tensor(",,"), {Tensor{7}, Tensor(1.5f), Tensor{"z"}});
  EXPECT_EQ(columns[0].item<int32_t>(), 7);
  EXPECT_EQ(columns[1].item<float>(), 1.5);
  EXPECT_EQ(columns[2].item<std::string>(), "z");
  const std::vector<Tensor> marked =
      io::decode_csv(Tensor("NA,1,NA"), {Tensor{5}, kInt, Tensor{"x"}}, {.na_value = "NA"});
  EXPECT_EQ(marked[0].item<int32_t>(), 5);
  EXPECT_EQ(marked[2].item<std::string>(), "x");
  EXPECT_EQ(io::decode_csv(Tensor("\"\",1"), {Tensor{"z"}, kInt})[0].item<std::string>(), "z");
  EXPECT_ERROR(io::decode_csv({"1,2", ",1"}, {none_of(int32), kInt}), InvalidArgumentError,
               "decode_csv: field 0 of record 1 is missing, and has no default.");
}

TEST(DecodeCsv, KnowsQuotes) {
  const auto decoded = [](std::string_view record, size_t fields,
                          const io::DecodeCsvOptions& options = {}) {
    Texts texts;
    for (const Tensor& column :
         io::decode_csv(Tensor(record), std::vector<Tensor>(fields, kText), options))
      texts.push_back(column.item<std::string>());
    return texts;
  };
  EXPECT_EQ(decoded(R"("a,b","c""d",e)", 3), (Texts{"a,b", "c\"d", "e"}));
  EXPECT_EQ(decoded("\"a\nb\",2", 2), (Texts{"a\nb", "2"}));
  EXPECT_EQ(decoded(" a , b ", 2), (Texts{" a ", " b "}));
  EXPECT_EQ(decoded("1,\n2", 2), (Texts{"1", "2"}));
  EXPECT_EQ(decoded("\"a,\"b", 2, {.use_quote_delim = false}), (Texts{"\"a", "\"b"}));
  EXPECT_EQ(decoded("a\tb", 2, {.field_delim = '\t'}), (Texts{"a", "b"}));
  for (const char* record : {"\"a", "a\"b", "\"a\"b", "a\r\n"})
    EXPECT_ERROR(decoded(record, 1), InvalidArgumentError,
                 "decode_csv: record 0 is not well formed: ");
}

TEST(DecodeCsv, ChoosesColumns) {
  const std::vector<Tensor> columns =
      io::decode_csv({"1,2,3,4", "5,6,7,8"}, {kInt, kInt}, {.select_cols = {1, 3}});
  expect_equal(columns[0], {{2}, {2, 6}}, int32);
  expect_equal(columns[1], {{2}, {4, 8}}, int32);
  EXPECT_ERROR(io::decode_csv({"1,2"}, {kInt, kInt}, {.select_cols = {1, 3}}), InvalidArgumentError,
               "decode_csv: record 0 has 2 fields, not at least 4.");
  EXPECT_ERROR(io::decode_csv({"1,2"}, {kInt, kInt}, {.select_cols = {1, 0}}), InvalidArgumentError,
               "select_cols must be strictly increasing. Got [1,0].");
  EXPECT_ERROR(io::decode_csv({"1,2"}, {kInt}, {.select_cols = {0, 1}}), InvalidArgumentError,
               "select_cols has 2 columns, but there are 1 defaults");
}

TEST(DecodeCsv, SaysWhatIsWrong) {
  EXPECT_ERROR(io::decode_csv({"1,2", "3,abc"}, {kInt, kInt}), InvalidArgumentError,
               "decode_csv: field 1 of record 1 is not a value of int32: \"abc\".");
  EXPECT_ERROR(io::decode_csv({"99999999999"}, {kInt}), InvalidArgumentError,
               "is not a value of int32: \"99999999999\"");
  EXPECT_ERROR(io::decode_csv({"x"}, {kFloat}), InvalidArgumentError, "is not a value of float32");
  EXPECT_ERROR(io::decode_csv({"1"}, {kInt, kInt}), InvalidArgumentError,
               "decode_csv: record 0 has 1 fields, not 2.");
  EXPECT_ERROR(io::decode_csv({""}, {kText}), InvalidArgumentError, "record 0 has 0 fields, not 1");
  EXPECT_ERROR(io::decode_csv({"1"}, {}), InvalidArgumentError, "a default for each column");
  EXPECT_ERROR(io::decode_csv({"1"}, {Tensor{1, 2}}), InvalidArgumentError, "one default a column");
  EXPECT_ERROR(io::decode_csv({"1"}, {Tensor{{1}}}), InvalidArgumentError, "one default a column");
  EXPECT_ERROR(io::decode_csv({"1"}, {Tensor{true}}), InvalidArgumentError, "a column is one of");
  EXPECT_ERROR(io::decode_csv({"1"}, {Tensor()}), InvalidArgumentError, "must have a value");
  EXPECT_ERROR(io::decode_csv({"1"}, {kInt}, {.field_delim = '\n'}), InvalidArgumentError,
               "field_delim");
  EXPECT_ERROR(io::decode_csv(Tensor{1}, {kInt}), InvalidArgumentError,
               "decode_csv: the records must be strings. Got int32[1].");
}

TEST(DecodeCsv, IsCompiledAndVectorized) {
  const auto features = [](const Tensor& line) {
    const std::vector<Tensor> columns = io::decode_csv(line, {kFloat, kFloat, kInt});
    return std::vector<Tensor>{stack({columns[0], columns[1]}) * 2, columns[2]};
  };
  const auto compiled = function(features);
  expect_equal(compiled(Tensor("1,2.5,3"))[0], {{2}, {2, 5}}, float32);
  expect_equal(compiled(Tensor("4,0.5,3"))[0], {{2}, {8, 1}}, float32);
  const Tensor lines = {"1,2,3", "4,5,6", "7,8,9"};
  const std::vector<Tensor> all = vectorized_map(features, lines);
  expect_equal(all[0], {{3, 2}, {2, 4, 8, 10, 14, 16}}, float32);
  expect_equal(all[1], {{3}, {3, 6, 9}}, int32);
}

TEST(DecodeCsv, SurvivesDamage) {
  std::mt19937 random(1);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    const Tensor damaged(mutated("12,\"a \"\"b\"\" c\",-3.5e2,,x", random, {}));
    try {
      io::decode_csv(damaged, {kInt, kText, kFloat, kText, kText});
      ++read;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_LT(read, 19900);
}
