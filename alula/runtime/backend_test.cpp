#include "alula/runtime/backend.h"

#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"
#include "alula/testing/test_ops.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// What the contract promises of every device that computes with kernels of the CPU.
class BackendContract : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { test_devices(); }
  Device device() const { return GetParam(); }
  Backend& backend() const { return backend_of(device()); }
  Tensor empty(const Spec& spec) const { return Tensor::uninitialized(spec, backend()); }
  static void* address(const Tensor& tensor) { return const_cast<void*>(tensor.data()); }
};

INSTANTIATE_TEST_SUITE_P(, BackendContract, ::testing::Values("/CPU:0", "/SIM:0"),
                         [](const auto& info) { return std::string(info.param).substr(1, 3); });

}  // namespace

TEST_P(BackendContract, DescribesItself) {
  EXPECT_EQ(backend().device(), device());
  EXPECT_FALSE(backend().description().empty());
  EXPECT_GT(backend().memory().total, 0);
}

TEST_P(BackendContract, CountsItsMemory) {
  const int64_t before = backend().memory().in_use;
  {
    const Tensor x = empty({float32, {1 << 20}});
    EXPECT_GE(backend().memory().in_use, device().is_cpu() ? before : before + (4 << 20));
  }
  EXPECT_EQ(backend().memory().in_use, before);
}

TEST_P(BackendContract, CopiesBytes) {
  const std::vector<float> values{1, 2, 3, 4, 5};
  const Tensor a = empty({float32, {5}}), b = empty({float32, {5}});
  backend().copy_from_host(address(a), values.data(), 20);
  backend().copy(address(b), address(a), 20);
  std::vector<float> back(5);
  backend().copy_to_host(back.data(), address(b), 20);
  EXPECT_EQ(back, values);
  backend().copy_from_host(address(a), nullptr, 0);
  backend().copy(address(b), address(a), 0);
  backend().copy_to_host(nullptr, address(b), 0);
}

TEST_P(BackendContract, TicketsAreInOrder) {
  const Ticket first = backend().record();
  const Tensor x = call(AddNumber(), Tensor({1.f}).to(device()));
  const Ticket second = backend().record();
  EXPECT_LE(first, second);
  backend().wait(second);
  EXPECT_TRUE(backend().done(first));
  EXPECT_TRUE(backend().done(second));
  backend().synchronize();
}

TEST_P(BackendContract, SupportsWhatItHasAKernelFor) {
  const Spec spec{float32, {3}};
  const Spec* specs[] = {&spec};
  EXPECT_TRUE(backend().supports(AddNumber(), SpecRefs(specs)));
  EXPECT_FALSE(backend().supports(NoKernel(), SpecRefs(specs)));
}

TEST_P(BackendContract, APreparedListRunsWithNewSlots) {
  const Spec spec{float32, {8}};
  // (x + 1) + ((x + 1) + 10): the slot 1 holds both sums on the way.
  const std::vector<Step> steps{
      {std::make_shared<AddNumber>(1.f), {{spec, 0}}, {{spec, 1, 0}}},
      {std::make_shared<AddNumber>(10.f), {{spec, 1, 0}}, {{spec, 1, 64}}},
      {std::make_shared<AddBoth>(), {{spec, 1, 0}, {spec, 1, 64}}, {{spec, 2}}}};
  const std::unique_ptr<Executable> list = backend().prepare(steps);
  const Tensor scratch = empty({float32, {24}});
  for (int i = 0; i < 3; ++i) {
    const auto start = static_cast<float>(i);
    const Tensor x = Tensor(std::vector<float>(8, start)).to(device());
    const Tensor y = empty(spec);
    list->run(std::array{address(x), address(scratch), address(y)});
    EXPECT_EQ(y.to_vector<float>(), std::vector<float>(8, 2 * start + 12));
  }
}

TEST_P(BackendContract, AListNeedsKernels) {
  const Spec spec{float32, {8}};
  const std::vector<Step> steps{{std::make_shared<NoKernel>(), {{spec, 0}}, {{spec, 1}}}};
  EXPECT_ERROR(backend().prepare(steps), UnimplementedError,
               fmt::format("no_kernel: there is no kernel for it on {}.", device()));
}
