#include "alula/ops/mish.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(mish) {
  // Far below zero x times almost nothing is nothing; at minus infinity itself it is undefined.
  check_elementwise(mish, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); },
                    {.from = -30, .to = 30});
}
