#include "alula/ops/table.h"

#include <map>
#include <set>

#include "alula/testing/batched_harness.h"

using namespace alula;
using namespace alula::testing;

TEST(EveryOp, HasATest) {
  for (const Elementwise* function : elementwise_table())
    EXPECT_TRUE(TestedOp::all().contains(function->name()))
        << function->name() << " has no OP_TEST";
  for (const OpType* type = all_op_types(); type != nullptr; type = type->next)
    EXPECT_TRUE(TestedOp::all().contains(type->name)) << type->name << " has no OP_TEST";
}

/// Of those whose test has run: which dtypes are compared, each test looks at itself.
TEST(EveryOp, HasABatchingRule) {
  std::set<std::string> batched;
  for (const auto& [name, dtype] : batched_ops()) batched.insert(name);
  const auto& unit = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < unit.total_test_suite_count(); ++i) {
    const ::testing::TestSuite& suite = *unit.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const ::testing::TestInfo& test = *suite.GetTestInfo(k);
      if (std::string_view(suite.name()) != "OpTest" || !test.should_run()) continue;
      EXPECT_TRUE(batched.contains(test.name()))
          << test.name() << " has no rule for many calls at once: see Op::batched";
    }
  }
}

TEST(EveryOp, IsFoundByItsName) {
  for (const Elementwise* function : elementwise_table())
    EXPECT_EQ(find_elementwise(function->name()), function) << function->name();
  EXPECT_EQ(find_elementwise("no_such_op"), nullptr);
}

namespace {

/// Why an op does not take a dtype, in the words of its TensorFlow counterpart; none if there is no
/// good reason.
std::string why_not(DTypeSet taken, DType missing) {
  if (taken == DTypeSet{boolean}) return "it is about truth values";
  if (taken == DTypeSet{string}) return "it is about text";
  if (missing == string) return "strings are only moved about";
  if (taken == DTypeSet{uint8, int8, int32, int64}) return "its input is an index";
  if (missing == boolean) return "truth values have no arithmetic";
  if (taken == kIntegers) return "it is about bits";
  if (taken == kSigned) return "there are no negative values";
  if (taken == DTypeSet{float32, float64}) return "the compiler makes it for these alone";
  const bool real = is_integer(missing) && (taken - kIntegers) == kFloating;
  return real ? "its values are real numbers" : "";
}

}  // namespace

/// Prints which op takes which dtype, and says of every empty cell why it is empty.
TEST(EveryOp, PrintsItsDTypes) {
  std::map<std::string, std::set<std::string>> reasons;
  const auto print = [&](const char* name, DTypeSet dtypes) {
    std::string row = fmt::format("{:<28}", name);
    for (int i = 0; i < kDTypeCount; ++i) {
      const auto dtype = static_cast<DType>(i);
      row += dtypes.contains(dtype) ? "  x" : "  .";
      if (dtypes.contains(dtype)) continue;
      const std::string reason = why_not(dtypes, dtype);
      EXPECT_NE(reason, "") << name << " does not take " << name_of(dtype) << ", for no reason";
      reasons[fmt::format("{}: {}", dtype, reason)].insert(name);
    }
    fmt::print("{}\n", row);
  };
  fmt::print("{:<28}  h  b  f  d i8 16 32 64 u8 16 32 64  ?  s\n", "op");
  for (const Elementwise* function : elementwise_table())
    print(function->name(), function->dtypes());
  for (const OpType* type = all_op_types(); type != nullptr; type = type->next)
    print(type->name, type->dtypes);
  fmt::print("\nempty cells\n");
  for (const auto& [reason, ops] : reasons) fmt::print("  {} ({} ops)\n", reason, ops.size());
}
