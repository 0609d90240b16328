// From the start of a process to its end, with one 2x2 product in between, on the CPU or on a GPU.
// The program starts itself.
#include <cstdlib>
#include <spawn.h>
#include <string_view>

#include <benchmark/benchmark.h>
#include <sys/wait.h>

#include "alula/alula.h"

namespace {

constexpr const char* kChild = "--first-product";
char* g_program = nullptr;

int first_product(const char* device) {
  const alula::DeviceScope scope(device);
  const alula::Tensor a = {{1.0, 2.0}, {3.0, 4.0}};
  return alula::matmul(a, a).to_vector<float>()[0] == 7 ? 0 : 1;
}

void start_to_first_product(benchmark::State& state, const char* device) {
  for (auto _ : state) {
    char* arguments[] = {g_program, const_cast<char*>(kChild), const_cast<char*>(device), nullptr};
    pid_t child = 0;
    int status = 1;
    if (posix_spawn(&child, g_program, nullptr, nullptr, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0) {
      state.SkipWithError("the process failed");
      return;
    }
  }
}

void add(const char* name, const char* device) {
  benchmark::RegisterBenchmark(name, start_to_first_product, device)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == kChild) return first_product(argv[2]);
  g_program = argv[0];
  benchmark::Initialize(&argc, argv);
  add("start_to_first_product", "/CPU:0");
  if (!alula::config::list_physical_devices(alula::DeviceType::kGPU).empty())
    add("start_to_first_gpu_product", "/GPU:0");
  benchmark::RunSpecifiedBenchmarks();
}
