#include "alula/graph/fuzz_test.h"

#include <cstdlib>

#include "alula/graph/function.h"
#include "alula/graph/passes/pass_test.h"

/// Random programs give the same eagerly and compiled, with all passes and without some.
///   ALULA_FUZZ_CASES=100000   runs as many
///   ALULA_FUZZ_SEED=1234      runs one alone, and prints its graph
namespace alula::graph::fuzz {
namespace {

int64_t number_from(const char* variable, int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoll(text);
}

double tolerance_of(DType dtype) { return dtype == float64 ? 1e-8 : is_floating(dtype) ? 1e-4 : 0; }

/// What a run leaves: its results, and the variables.
std::vector<Tensor> outcome(const Program& program, const std::function<Tensors()>& run) {
  program.reset();
  const Tensors results = run();
  std::vector<Tensor> all(results.begin(), results.end());
  for (const Variable& variable : program.variables) all.push_back(variable.value());
  return all;
}

std::vector<Tensor> compiled_outcome(const Program& program, const PassOptions& options,
                                     std::string& text) {
  program.reset();
  std::vector<Spec> specs;
  std::vector<const Tensor*> inputs;
  for (const Tensor& input : program.inputs) {
    specs.push_back(input.spec());
    inputs.push_back(&input);
  }
  const Graph graph = trace(program, specs);
  text = graph.str();
  if (std::getenv("ALULA_FUZZ_SEED") != nullptr) fmt::print("{}\n", text);
  Compiled compiled(graph, options);
  text += "compiled:\n" + compiled.graph().str();
  // The second run is the one that counts: it must not see what the first has left.
  outcome(program, [&] { return compiled.run(TensorRefs(inputs)); });
  return outcome(program, [&] { return compiled.run(TensorRefs(inputs)); });
}

/// Some passes, drawn by lot.
PassOptions some_passes(Dice& dice) {
  PassOptions options;
  for (const Pass& pass : passes())
    if (dice.chance(0.4)) options.without.emplace_back(pass.name);
  return options;
}

/// Whether a program gives the same in all ways; if not, the test fails with what there is to know.
bool agrees(uint64_t seed) {
  const Program program = Maker(seed)();
  Dice dice(seed ^ 0x5eed);
  const std::vector<Tensor> expected = outcome(program, [&] {
    const std::vector<Tensor> results = program(program.inputs);
    return Tensors(results.begin(), results.end());
  });
  for (const PassOptions& options : {PassOptions(), some_passes(dice)}) {
    std::string text;
    std::vector<Tensor> got;
    try {
      got = compiled_outcome(program, options, text);
    } catch (const Error& error) {
      ADD_FAILURE() << "seed " << seed << " without "
                    << fmt::format("{}", fmt::join(options.without, ",")) << ": " << error.what()
                    << "\n"
                    << text;
      return false;
    }
    for (size_t k = 0; k < expected.size(); ++k) {
      const double scale = std::max(1.0, testing::largest(expected[k]));
      if (testing::are_close(got[k], expected[k], tolerance_of(expected[k].dtype()) * scale))
        continue;
      ADD_FAILURE() << "seed " << seed << ", result " << k << " without "
                    << fmt::format("{}", fmt::join(options.without, ",")) << ": "
                    << fmt::format("{}", got[k]) << " instead of " << fmt::format("{}", expected[k])
                    << "\n"
                    << text;
      return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace alula::graph::fuzz

TEST(Fuzz, EagerAndCompiledAgree) {
  using namespace alula::graph::fuzz;
  constexpr int64_t kCases = 500;
  if (const int64_t seed = number_from("ALULA_FUZZ_SEED", -1); seed >= 0) {
    EXPECT_TRUE(agrees(static_cast<uint64_t>(seed)));
    return;
  }
  const int64_t first = number_from("ALULA_FUZZ_FIRST", 0),
                count = number_from("ALULA_FUZZ_CASES", kCases);
  for (int64_t seed = first, failures = 0; seed < first + count && failures < 5; ++seed)
    failures += agrees(static_cast<uint64_t>(seed)) ? 0 : 1;
}
