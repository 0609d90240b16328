// From the start of a process to its end, with one 2x2 product in between. The program starts
// itself.
#include <cstdlib>
#include <spawn.h>
#include <string_view>

#include <benchmark/benchmark.h>
#include <sys/wait.h>

#include "alula/alula.h"

namespace {

constexpr const char* kChild = "--first-product";
char* g_program = nullptr;

int first_product() {
  const alula::Tensor a = {{1.0, 2.0}, {3.0, 4.0}};
  return alula::matmul(a, a).to_vector<float>()[0] == 7 ? 0 : 1;
}

void start_to_first_product(benchmark::State& state) {
  for (auto _ : state) {
    char* arguments[] = {g_program, const_cast<char*>(kChild), nullptr};
    pid_t child = 0;
    int status = 1;
    if (posix_spawn(&child, g_program, nullptr, nullptr, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0) {
      state.SkipWithError("the process failed");
      return;
    }
  }
}
BENCHMARK(start_to_first_product)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == kChild) return first_product();
  g_program = argv[0];
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
