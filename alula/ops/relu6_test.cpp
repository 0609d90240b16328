#include "alula/ops/relu6.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(relu6) {
  check_elementwise(alula::relu6, [](double x) { return x != x  ? x
                                                        : x < 0 ? 0
                                                        : x > 6 ? 6
                                                                : x; },
                    {.from = -10, .to = 10});
}
