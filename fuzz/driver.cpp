// Runs a fuzzer's function without libFuzzer: over the files of a folder, and over damaged copies
// of them, the same ones every time.
//
//   fuzz_json fuzz/corpus/json [rounds]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include "alula/io/file.h"
#include "alula/io/mutations_test.h"
#include "fuzz/fuzz.h"

namespace {

constexpr int kRounds = 5000;

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER [ROUNDS]\n", argv[0]);
    return 2;
  }
  const int rounds = argc > 2 ? std::atoi(argv[2]) : kRounds;
  std::vector<std::string> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
    if (entry.is_regular_file()) seeds.push_back(entry.path().string());
  std::sort(seeds.begin(), seeds.end());
  if (seeds.empty()) {
    std::fprintf(stderr, "%s: there are no seeds in %s\n", argv[0], argv[1]);
    return 1;
  }
  run("");
  std::mt19937 random(1);
  for (const std::string& path : seeds) {
    const std::string good = alula::io::read_file(path);
    run(good);
    for (int round = 0; round < rounds; ++round) run(alula::testing::mutated(good, random, {}));
  }
  std::printf("%zu seeds, %d damaged copies of each\n", seeds.size(), rounds);
}
