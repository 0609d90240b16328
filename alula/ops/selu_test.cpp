#include "alula/ops/selu.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(selu) {
  check_elementwise(alula::selu, [](double x) {
    return 1.0507009873554804934193349852946 *
           (x > 0 ? x : 1.6732632423543772848170429916717 * std::expm1(x));
  });
}
