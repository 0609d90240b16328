#include "alula/ops/xlogy.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(xlogy) {
  check_elementwise(alula::xlogy, [](double x, double y) { return x == 0 ? 0 : x * std::log(y); },
                    {.from = 0, .to = 10});
}
