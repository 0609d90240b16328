#include "alula/data/dataset_test.h"
#include "alula/io/temporary_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

constexpr const char* kPeople =
    "name,age,height,id\n"
    "Ann,31,1.75,5000000000\n"
    "\"Bo, the \"\"Great\"\"\",,1.9,6\n"
    "Cy, 7 ,1e300,7\n";

}  // namespace

TEST(Csv, FindsNamesAndTypes) {
  const TemporaryFolder folder;
  put(folder / "people.csv", kPeople);
  const Dataset people = Dataset::csv({folder / "people.csv"});
  EXPECT_EQ(to_string(people.element_spec()),
            "{name: string[], age: int32[], height: float64[], id: int64[]}");
  std::vector<Element> rows;
  for (const Element& row : people) rows.push_back(row);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1]["name"].tensor().item<std::string>(), "Bo, the \"Great\"");
  EXPECT_EQ(rows[1]["age"].tensor().item<int32_t>(), 0);
  EXPECT_EQ(rows[2]["age"].tensor().item<int32_t>(), 7);
  EXPECT_EQ(rows[2]["height"].tensor().item<double>(), 1e300);
  EXPECT_EQ(rows[0]["id"].tensor().item<int64_t>(), 5000000000);
  expect_same_in_blocks(people);
  expect_restores_everywhere(people);
  expect_restores_everywhere(people.batch(2).repeat(2));
}

TEST(Csv, ChoosesColumnsAndDefaults) {
  const TemporaryFolder folder;
  put(folder / "a.csv", kPeople);
  const Dataset chosen = Dataset::csv(
      {folder / "a.csv"},
      {.select_columns = {"height", "age"}, .column_defaults = {Tensor(0.f), Tensor(-1)}});
  EXPECT_EQ(to_string(chosen.element_spec()), "{height: float32[], age: int32[]}");
  EXPECT_EQ(texts(chosen),
            (std::vector<std::string>{"{height: 1.75, age: 31}", "{height: 1.9, age: -1}",
                                      "{height: inf, age: 7}"}));
  const Dataset renamed = Dataset::csv({folder / "a.csv"}, {.column_names = {"a", "b", "c", "d"}});
  EXPECT_EQ(to_string(renamed.element_spec()),
            "{a: string[], b: int32[], c: float64[], d: int64[]}");
}

TEST(Csv, TakesOtherDelimitersAndNames) {
  const TemporaryFolder folder;
  put(folder / "a.tsv", "1\tNA\tx\n2\t3\t\"y\n");
  const Dataset table = Dataset::csv({folder / "a.tsv"}, {.header = false,
                                                          .column_names = {"i", "j", "k"},
                                                          .field_delim = '\t',
                                                          .use_quote_delim = false,
                                                          .na_value = "NA"});
  EXPECT_EQ(texts(table).size(), 2u);
  EXPECT_EQ(to_string(table.element_spec()), "{i: int32[], j: int32[], k: string[]}");
  EXPECT_EQ((*table.skip(1).begin())["k"].tensor().item<std::string>(), "\"y");
  EXPECT_EQ((*table.begin())["j"].tensor().item<int32_t>(), 0);
}

TEST(Csv, FindsTheNarrowestType) {
  const TemporaryFolder folder;
  put(folder / "a.csv",
      "a,b,c,d,e,f,g\n1,1,1,1,,nan,+1\n2147483648,1.5,1e60,x,,2,-2\n3,-7,3,4,,3,3\n");
  EXPECT_EQ(to_string(Dataset::csv({folder / "a.csv"}).element_spec()),
            "{a: int64[], b: float32[], c: float64[], d: string[], e: string[], f: string[], "
            "g: int32[]}");
}

TEST(Csv, NamesFileLineAndColumn) {
  const TemporaryFolder folder;
  const std::string file = folder / "bad.csv";
  put(file, "a,b\n1,2\n\"3\",x\n5,6\n7\n8,\n9,10\n");
  const CsvOptions ints{.column_defaults = {Tensor(0), Tensor(std::vector<int32_t>{})}};
  const Dataset table = Dataset::csv({file}, ints);
  EXPECT_ERROR(texts(table), InvalidArgumentError,
               fmt::format("csv (step 1): '{}', line 3, column 'b': 'x' is no int32.", file));
  put(file, "a,b\n1,2\n3,4\n5,6\n7\n");
  EXPECT_ERROR(
      texts(table), InvalidArgumentError,
      fmt::format("'{}', line 5: the record has 1 fields, but there are 2 columns.", file));
  put(file, "a,b\n1,2\n\"3\",x\n5,6\n7\n8,\n9,10\n");
  EXPECT_EQ(texts(table.ignore_errors()),
            (std::vector<std::string>{"{a: 1, b: 2}", "{a: 5, b: 6}", "{a: 9, b: 10}"}));
  put(file, "a,b\n1,\n");
  EXPECT_ERROR(texts(table), InvalidArgumentError,
               "column 'b': the field is empty, and the column has no default.");
  put(file, "a,b\n1,2\n3,\"4\" 5\n6,7\n");
  EXPECT_ERROR(texts(table), DataLossError, "line 3");
  EXPECT_EQ(texts(table.ignore_errors()),
            (std::vector<std::string>{"{a: 1, b: 2}", "{a: 6, b: 7}"}));
}

TEST(Csv, ChecksWhatItIsGiven) {
  const TemporaryFolder folder;
  const std::string file = folder / "a.csv", other = folder / "b.csv";
  put(file, "a,b\n1,2\n");
  put(other, "a,c\n1,2\n");
  EXPECT_ERROR(Dataset::csv({}), InvalidArgumentError, "csv: there is no file.");
  EXPECT_ERROR(Dataset::csv({folder / "gone.csv"}), NotFoundError, "gone.csv");
  EXPECT_ERROR(Dataset::csv({file}, {.header = false}), InvalidArgumentError,
               "have no names. Give column_names, or set header = true");
  EXPECT_ERROR(Dataset::csv({file}, {.column_names = {"x", "x"}}), InvalidArgumentError,
               "have the name 'x'");
  EXPECT_ERROR(Dataset::csv({file}, {.select_columns = {"z"}}), NotFoundError,
               "has no column 'z'. It has a, b.");
  EXPECT_ERROR(Dataset::csv({file}, {.column_defaults = {Tensor(1)}}), InvalidArgumentError,
               "takes one default for each of the 2 columns chosen. Got 1.");
  EXPECT_ERROR(Dataset::csv({file}, {.column_defaults = {Tensor(true), Tensor(1)}}),
               InvalidArgumentError, "column 'a': a default must be int32");
  EXPECT_ERROR(Dataset::csv({file}, {.column_defaults = {Tensor{1, 2}, Tensor(1)}}),
               InvalidArgumentError, "a default must be one value");
  EXPECT_ERROR(texts(Dataset::csv({file, other})), InvalidArgumentError, "has other columns than");
}
