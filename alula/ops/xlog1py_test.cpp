#include "alula/ops/xlog1py.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(xlog1py) {
  check_elementwise(xlog1py, [](double x, double y) { return x == 0 ? 0 : x * std::log1p(y); },
                    {.from = 0, .to = 10});
}
