#include "alula/ops/hard_sigmoid.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(hard_sigmoid) {
  check_elementwise(alula::hard_sigmoid,
                    [](double x) { return x != x ? x : std::min(std::max(x + 3, 0.), 6.) / 6; });
}
