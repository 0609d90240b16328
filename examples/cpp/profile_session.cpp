// Runs a small program ten times in a session, and prints what each of its ops took.
//
// Expected output:
// 10 runs: <time>, of which <time> in ops. Compiled 1 time in <time>.
// op device calls time share read written
// product/ /CPU:0 10 <time> <number>% 80.0 MiB 40.0 MiB
// matmul /CPU:0 10 <time> <number>% 80.0 MiB 40.0 MiB
// random_normal /CPU:0 20 <time> <number>% 0 B 80.0 MiB
// ...
#include "alula/alula.h"

namespace tf = alula;
namespace v1 = tf::compat::v1;

int main() {
  {
    v1::Session session;
    const tf::Tensor a = tf::random::normal({1024, 1024}), b = tf::random::normal({1024, 1024});
    tf::Tensor product;
    {
      const auto scope = v1::name_scope("product");
      product = tf::matmul(a, b);
    }
    const tf::Tensor c = tf::reduce_sum(product);
    for (int i = 0; i < 10; ++i) session.run(c);
  }
  tf::profiler::profile(v1::get_default_graph(),
                        tf::profiler::ProfileOptionBuilder::time_and_memory());
}
