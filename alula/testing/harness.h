#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alula/runtime/dispatch.h"
#include "alula/testing/array.h"

/// The harness of the ops' tests. A test describes cases; every case runs on every device there is,
/// is compared with a plain reference, and must have run where it was asked to.
namespace alula::testing {

/// The devices that ops are tested on: the CPU, a simulated device and, where there is one, the
/// GPU.
std::vector<Device> test_devices();

/// How far a result may be from its reference: |a - b| <= relative * (|b| + scale).
struct Tolerance {
  double relative = 0;   // 0: the dtype's own, from one table
  double scale = 1;      // the size of values that were added up on the way
  bool gradient = true;  // off where the inputs lie on a kink, such as two equal largest values
};
double tolerance_of(DType dtype);

/// Fails unless a tensor has this dtype and shape, and these values (NaN equals NaN).
void expect_equal(const Tensor& actual, const Array& expected, DType dtype,
                  Tolerance tolerance = {});

/// An op under test, as a function of tensors, and its reference.
using Function = std::function<Tensor(const std::vector<Tensor>&)>;
using Reference = std::function<Array(const std::vector<Array>&)>;

/// The state of one op's test: which dtypes its op has been run with.
class OpTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

 public:
  /// Runs `f` on each device and compares with `reference`. The result is of `dtype`, or of the
  /// first input's if none is given. In float64, gradients are compared with finite differences.
  /// Each op that `f` calls is also called for many elements at once (batched_harness.h).
  static void check(const Function& f, const std::vector<Tensor>& inputs,
                    const Reference& reference, Tolerance tolerance = {});
  static void check(const Function& f, const std::vector<Tensor>& inputs,
                    const Reference& reference, DType dtype, Tolerance tolerance = {});
  /// Compares the gradient of `f` with respect to its float64 inputs with finite differences, on
  /// each device.
  static void compare_gradient(const Function& f, const std::vector<Tensor>& inputs);
};

/// Names an op that has a test: EveryOp.HasATest looks through them.
struct TestedOp {
  explicit TestedOp(const char* name);
  static const std::set<std::string>& all();
};

struct ElementwiseCheck {
  double from = -4;
  double to = 4;
  bool specials = true;  // also NaN, infinities, zeros of both signs
  double tolerance = 0;  // 0: the dtype's own
};

}  // namespace alula::testing

/// A test of the op of that name. All dtypes that the op takes must occur in it.
#define OP_TEST(op)                                         \
  static const ::alula::testing::TestedOp tested_##op{#op}; \
  TEST_F(OpTest, op)

/// Expects an error of that class whose message contains `text`.
#define EXPECT_ERROR(statement, Class, text)                                            \
  try {                                                                                 \
    (void)(statement);                                                                  \
    ADD_FAILURE() << #statement << " did not throw";                                    \
  } catch (const Class& error) {                                                        \
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what(); \
  }

using alula::testing::OpTest;
