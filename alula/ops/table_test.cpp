#include "alula/ops/table.h"

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

TEST(EveryOp, HasATest) {
  for (const Elementwise* function : elementwise_table())
    EXPECT_TRUE(TestedOp::all().contains(function->name()))
        << function->name() << " has no OP_TEST";
  for (const OpType* type = all_op_types(); type != nullptr; type = type->next)
    EXPECT_TRUE(TestedOp::all().contains(type->name)) << type->name << " has no OP_TEST";
}

TEST(EveryOp, IsFoundByItsName) {
  for (const Elementwise* function : elementwise_table())
    EXPECT_EQ(find_elementwise(function->name()), function) << function->name();
  EXPECT_EQ(find_elementwise("no_such_op"), nullptr);
}

/// Prints which op takes which dtype, and says of every empty cell why it is empty.
TEST(EveryOp, PrintsItsDTypes) {
  const auto print = [](const char* name, DTypeSet dtypes) {
    std::string row = fmt::format("{:<28}", name);
    for (int i = 0; i < kDTypeCount; ++i)
      row += dtypes.contains(static_cast<DType>(i)) ? "  x" : "  .";
    fmt::print("{}\n", row);
  };
  fmt::print("{:<28}  h  b  f  d i8 16 32 64 u8 16 32 64  ?  s\n", "op");
  for (const Elementwise* function : elementwise_table())
    print(function->name(), function->dtypes());
  for (const OpType* type = all_op_types(); type != nullptr; type = type->next)
    print(type->name, type->dtypes);
}
