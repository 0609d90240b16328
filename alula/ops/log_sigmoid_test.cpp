#include "alula/ops/log_sigmoid.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(log_sigmoid) {
  check_elementwise(alula::log_sigmoid,
                    [](double x) { return std::min(x, 0.) - std::log1p(std::exp(-std::abs(x))); },
                    {.from = -30, .to = 30});
}
