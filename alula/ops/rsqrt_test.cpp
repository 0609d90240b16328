#include "alula/ops/rsqrt.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(rsqrt) {
  check_elementwise(alula::rsqrt, [](double x) { return 1 / std::sqrt(x); },
                    {.from = -1, .to = 100});
}
