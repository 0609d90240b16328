#include "alula/ops/atanh.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(atanh) {
  check_elementwise(alula::atanh, [](double x) { return std::atanh(x); },
                    {.from = -0.9, .to = 0.9});
}
