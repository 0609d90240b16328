#include "alula/ops/operators.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/variable.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Floats = std::vector<float>;

}  // namespace

TEST(Assign, AddsAndSubtracts) {
  for (const DType dtype : {float16, bfloat16, float32, float64, int8, int32, int64, uint8}) {
    Variable w(constant({1, 2, 3}, dtype));
    w.assign_add(constant({10, 20, 30}, dtype));
    expect_equal(w, {{3}, {11, 22, 33}}, dtype);
    w.assign_sub(constant({1, 2, 3}, dtype));
    expect_equal(w, {{3}, {10, 20, 30}}, dtype);
  }
}

TEST(Assign, MayUseItsOwnValue) {
  Variable w(Tensor{1.f, 2.f});
  w.assign_add(w.value() * 0.5f);
  EXPECT_EQ(w.value().to_vector<float>(), (Floats{1.5, 3}));
  w.assign_add(w);
  EXPECT_EQ(w.value().to_vector<float>(), (Floats{3, 6}));
  w.assign_sub(w);
  EXPECT_EQ(w.value().to_vector<float>(), (Floats{0, 0}));
}

TEST(Assign, WritesInPlaceUnlessSomebodyHoldsTheValue) {
  for (const Shape& shape : {Shape{2}, Shape{4000}}) {
    const Tensor one = random_tensor({float32, shape}, {.from = 1, .to = 1});
    Variable w(random_tensor({float32, shape}, {.from = 2, .to = 2}));
    const void* place = w.storage().data();
    w.assign_add(one);
    w.assign_sub(one);
    w.assign_add(one);
    EXPECT_EQ(w.storage().data(), place);
    const Tensor held = w;
    w.assign_add(one);
    EXPECT_NE(w.storage().data(), place);
    EXPECT_EQ(held.to_vector<float>().back(), 3);
    EXPECT_EQ(w.value().to_vector<float>().back(), 4);
    place = w.storage().data();
    w.assign_add(one);
    EXPECT_EQ(w.storage().data(), place);
  }
}

TEST(Assign, LeavesTheInitialValueAlone) {
  const Tensor initial = random_tensor({float32, {4000}});  // its buffer is shared at first
  const Floats before = initial.to_vector<float>();
  Variable w(initial);
  w.assign_add(initial);
  EXPECT_EQ(initial.to_vector<float>(), before);
}

TEST(Assign, LeavesAnAssignedValueAlone) {
  Variable w(Tensor{0.f, 0.f});
  const Tensor value = {1.f, 2.f};
  w.assign(value);
  w.assign_add(Tensor{1.f, 1.f});
  EXPECT_EQ(value.to_vector<float>(), (Floats{1, 2}));
}

TEST(Assign, StaysOnTheVariablesDevice) {
  test_devices();
  const Device sim = "/SIM:0";
  const Tensor one = {1.f, 1.f};
  Variable there(Tensor{1.f, 2.f}.to(sim)), here(Tensor{1.f, 2.f});
  const void* place = there.storage().data();
  there.assign_add(one.to(sim));
  EXPECT_EQ(there.storage().data(), place);
  there.assign_add(one);
  EXPECT_EQ(there.device(), sim);
  EXPECT_EQ(there.value().to_vector<float>(), (Floats{3, 4}));
  {
    const DeviceScope scope(kCPU);
    there.assign_sub(one);
  }
  EXPECT_EQ(there.device(), sim);
  EXPECT_EQ(there.value().to_vector<float>(), (Floats{2, 3}));
  here.assign_add(one.to(sim));
  {
    const DeviceScope scope(sim);
    here.assign_add(one);
  }
  EXPECT_EQ(here.device(), kCPU);
  EXPECT_EQ(here.value().to_vector<float>(), (Floats{3, 4}));
}

TEST(Assign, SaysWhatIsWrong) {
  Variable w(Tensor{1.f, 2.f}, {.name = "w"}), none;
  EXPECT_ERROR(w.assign_add(Tensor(1.f)), InvalidArgumentError,
               "assign_add: the variable 'w' is float32[2]. Got float32[]. Use reshape().");
  EXPECT_ERROR(w.assign_sub(Tensor{1, 2}), InvalidArgumentError,
               "assign_sub: the variable 'w' is float32[2]. Got int32[2]. Use cast().");
  EXPECT_ERROR(w.assign_add(Tensor()), InvalidArgumentError, "the value for 'w' is not defined");
  EXPECT_ERROR(none.assign_add(Tensor(1.f)), FailedPreconditionError, "it is not defined yet");
  EXPECT_EQ(w.value().to_vector<float>(), (Floats{1, 2}));
}
