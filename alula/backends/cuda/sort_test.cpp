// What ops_test cannot see of long sorts, which are a library's where the plugin has one.
#include "alula/ops/sort.h"

#include "alula/ops/table.h"
#include "alula/testing/gpu.h"

using namespace alula;
using namespace alula::testing;
using GpuSort = GpuTest;

namespace {

std::vector<int32_t> order_of(const Tensor& x, const SortOptions& options) {
  return argsort(x, options).to_vector<int32_t>();
}

}  // namespace

/// Rows are sorted one after the other where they are long. Numbers repeat, so that positions show
/// whether equal ones keep their order; a byte is one digit, and ends up in the other room.
TEST_F(GpuSort, SeveralLongRows) {
  constexpr int64_t kLength = (1 << 20) + 3;
  for (const DType dtype : {float32, int64, int8})
    for (const SortDirection direction : {SortDirection::kAscending, SortDirection::kDescending}) {
      SCOPED_TRACE(name_of(dtype));
      const SortOptions options{.axis = 1, .direction = direction};
      const Tensor x = random_tensor({dtype, {3, kLength}}, {-100, 100}), on_gpu = x.to(kGpu);
      const std::vector<int32_t> expected = order_of(x, options);
      const OnGpu only;
      EXPECT_EQ(order_of(on_gpu, options), expected);
    }
}

/// A captured sort works with memory that stays the graph's, and after what is captured before it.
TEST_F(GpuSort, LongRowsInAGraph) {
  constexpr int64_t kLength = 100'000;
  const Spec values{float32, {kLength}}, orders{int32, {kLength}};
  const auto negate = std::make_shared<ElementwiseOp>(find_elementwise("neg")->program(float32));
  const auto executable =
      gpu().prepare({{negate, {{values, 0}}, {{values, 1}}},
                     {std::make_shared<ArgSort>(), {{values, 1}}, {{orders, 2}}},
                     {std::make_shared<Sort>(), {{values, 1}}, {{values, 3}}},
                     {negate, {{values, 3}}, {{values, 3}}}});
  Tensor middle = Tensor::uninitialized(values, gpu()),
         sorted = Tensor::uninitialized(values, gpu());
  Tensor order = Tensor::uninitialized(orders, gpu());
  const SortOptions descending{.direction = SortDirection::kDescending};
  for (int run = 0; run < 6; ++run) {
    const Tensor x = random_tensor(values, {-9, 9});
    Tensor on_gpu = x.to(kGpu);
    sort(random_tensor(values).to(kGpu));
    executable->run(std::vector<void*>{on_gpu.mutable_data(), middle.mutable_data(),
                                       order.mutable_data(), sorted.mutable_data()});
    sort(random_tensor(values).to(kGpu));
    EXPECT_EQ(order.to_vector<int32_t>(), order_of(x, descending));
    EXPECT_EQ(sorted.to_vector<float>(), sort(x, descending).to_vector<float>());
  }
}
