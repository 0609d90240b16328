// The generated kernels, without a GPU: NVRTC must compile them, and compiled as plain C++ they
// must give the values that the CPU's own kernels give.
#include "alula/backends/cuda/codegen.h"

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "alula/backends/cuda/nvrtc.h"
#include "alula/ops/table.h"
#include "alula/runtime/dispatch.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::cuda;
using namespace alula::testing;
using scalar::Opcode;

namespace {

/// One kernel and one call of it.
struct Case {
  const scalar::Program* program;
  std::vector<Tensor> inputs;
  std::string what;  // for messages

  ElementwiseOp op() const {
    ElementwiseOp op(*program);
    op.parameters = {0.5, 1.5, 2.5, 3.5};
    return op;
  }
};

std::vector<View> views_of(std::vector<Tensor>& tensors) {
  std::vector<View> views;
  for (Tensor& tensor : tensors) views.push_back({&tensor.spec(), tensor.mutable_data()});
  return views;
}

/// Tensors for a case's outputs, filled with a byte that no result consists of.
std::vector<Tensor> poisoned_outputs(const Case& test) {
  std::vector<const Spec*> specs;
  for (const Tensor& input : test.inputs) specs.push_back(&input.spec());
  std::vector<Tensor> outputs;
  for (const Spec& spec : test.op().infer(SpecRefs(specs))) {
    outputs.push_back(Tensor::uninitialized(spec));
    std::memset(outputs.back().mutable_data(), 0x5d, spec.bytes());
  }
  return outputs;
}

std::string name_of_kernel(size_t i) { return "kernel" + std::to_string(i); }

std::string source_of(std::vector<Case>& cases) {
  std::string source(device_source("prelude"));
  for (size_t i = 0; i < cases.size(); ++i) {
    std::vector<Tensor> outputs = poisoned_outputs(cases[i]);
    const Layout layout(views_of(cases[i].inputs), views_of(outputs));
    source += kernel_source(*cases[i].program, layout.pattern(), name_of_kernel(i));
  }
  return source;
}

// ---- what is tested --------------------------------------------------------------------------

constexpr DType kComputed[] = {float32, float64, int8,   int16,  int32,
                               int64,   uint8,   uint16, uint32, uint64};

/// Every value that matters, as far as a dtype can hold it; `divisor`: no zeros, no negative ones.
Tensor values_of(DType dtype, Shape shape, bool divisor = false) {
  Array array(shape);
  static const std::vector<double> kSpecial = {
      0.0,  -0.0,  1.0,     -1.0,         0.5,    -0.5,   2.5,     -2.5,     3.0,
      -7.0, 100.0, -128.0,  127.0,        1e9,    -1e9,   1e30,    INFINITY, -INFINITY,
      NAN,  255.0, 65535.0, 4294967295.0, 9.3e18, 1.9e19, -9.3e18, 1e-3};
  for (int64_t i = 0; i < array.size(); ++i) {
    const auto pick = static_cast<size_t>(i * 7 + shape.rank()) % (kSpecial.size() * 2);
    double value = pick < kSpecial.size() ? kSpecial[pick] : 0.37 * static_cast<double>(i % 23) - 4;
    if (divisor) value = 1 + std::abs(static_cast<double>(i % 9));
    if (dtype == boolean) value = static_cast<double>(i % 3 == 0);
    if (is_integer(dtype)) {
      const bool is_unsigned = kUnsignedIntegers.contains(dtype);
      const double high = std::ldexp(1.0, static_cast<int>(8 * size_of(dtype)) - !is_unsigned);
      if (std::isnan(value)) value = 5;
      // The largest 64-bit integers are no doubles.
      const double below = size_of(dtype) == 8 ? high * (1 - 1e-15) : high - 1;
      value = std::trunc(std::min(std::max(value, is_unsigned ? 0 : -high), below));
    }
    array.values[i] = value;
  }
  return to_tensor(array, dtype);
}

/// Whether the CPU has an instruction for operands of a dtype.
bool exists(Opcode opcode, DType dtype) {
  if (opcode == Opcode::kNot || opcode == Opcode::kAnd || opcode == Opcode::kOr)
    return dtype == boolean;
  if (opcode == Opcode::kEqual || opcode == Opcode::kNotEqual) return true;
  if (dtype == boolean) return false;
  const bool floating_only =
      (opcode >= Opcode::kSqrt && opcode <= Opcode::kErf) || opcode == Opcode::kDiv;
  return !floating_only || is_floating(dtype);
}

/// Programs of one instruction each: all of them, for all dtypes. They live as long as the test.
std::vector<Case> instruction_cases() {
  static std::vector<std::unique_ptr<scalar::Program>> programs;
  std::vector<Case> cases;
  const auto add = [&](Opcode opcode, DType dtype, DType result) {
    scalar::Builder builder;
    const int count = scalar::operand_count(opcode);
    const bool divides =
        opcode == Opcode::kFloorDiv || opcode == Opcode::kMod || opcode == Opcode::kPow;
    std::vector<Tensor> inputs;
    std::vector<Scalar> x;
    for (int k = 0; k < count; ++k) {
      const DType input = opcode == Opcode::kSelect && k == 0 ? boolean : dtype;
      x.push_back(builder.input(input));
      // The second operand repeats along rows, the third is one number, and 67 is no multiple of
      // any pack.
      const Shape shape = k == 0 ? Shape{6, 67} : k == 1 ? Shape{67} : Shape{};
      inputs.push_back(values_of(input, shape, divides && k == 1 && is_integer(dtype)));
    }
    const Scalar y = count == 1   ? builder.emit(opcode, result, {x[0]})
                     : count == 2 ? builder.emit(opcode, result, {x[0], x[1]})
                                  : builder.emit(opcode, result, {x[0], x[1], x[2]});
    programs.push_back(builder.finish("test", {&y, 1}));
    cases.push_back({programs.back().get(), inputs,
                     fmt::format("{} of {} to {}", scalar::name_of(opcode), dtype, result)});
  };
  for (int i = static_cast<int>(Opcode::kNeg); i < scalar::kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const bool compares = opcode >= Opcode::kEqual && opcode <= Opcode::kLessEqual;
    for (DType dtype : kComputed)
      if (exists(opcode, dtype)) add(opcode, dtype, compares ? boolean : dtype);
    if (exists(opcode, boolean)) add(opcode, boolean, boolean);
  }
  for (int from = 0; from < kDTypeCount - 1; ++from)
    for (int to = 0; to < kDTypeCount - 1; ++to)
      add(Opcode::kCast, static_cast<DType>(from), static_cast<DType>(to));
  for (DType dtype : {float16, bfloat16, boolean}) add(Opcode::kSelect, dtype, dtype);
  return cases;
}

/// How the inputs' shapes differ, one after the other.
const std::vector<std::vector<Shape>> kShapes = {
    {{261}, {261}, {261}},                     // the same: packs and a tail
    {{4, 6, 32}, {32}, {4, 1, 32}},            // rows that packs fit in
    {{3, 1, 7}, {4, 1}, {3, 4, 7}},            // rows that they do not fit in
    {{5, 1, 16, 1, 3}, {1, 2, 16, 4, 1}, {}},  // many dimensions, and one number
};

/// A dtype of each width: how shapes line up does not depend on more.
constexpr DTypeSet kOneOfEachWidth{uint8, bfloat16, float32, int64};

/// Every elementwise op, with every dtype it takes.
std::vector<Case> op_cases(const std::vector<DType>& only = {}) {
  std::vector<Case> cases;
  for (const Elementwise* function : elementwise_table())
    for (int i = 0; i < kDTypeCount; ++i) {
      const auto dtype = static_cast<DType>(i);
      if (!function->dtypes().contains(dtype) || dtype == string) continue;
      if (!only.empty() && std::find(only.begin(), only.end(), dtype) == only.end()) continue;
      const scalar::Program& program = function->program(dtype);
      const bool broadcasts = program.inputs().size() > 1 && kOneOfEachWidth.contains(dtype);
      for (size_t pattern = 0; pattern < (broadcasts ? kShapes.size() : 1); ++pattern) {
        std::vector<Tensor> inputs;
        // At a high order, polygamma is infinity times a number that the CPU flushes to zero.
        const bool high = std::string_view(function->name()) == "polygamma";
        for (size_t k = 0; k < program.inputs().size(); ++k)
          inputs.push_back(values_of(program.inputs()[k], kShapes[pattern][k],
                                     high || (k > 0 && program.can_fail())));
        cases.push_back({&program, inputs,
                         fmt::format("{} of {}, shapes {}", function->name(), dtype, pattern)});
      }
    }
  return cases;
}

// ---- the host as a GPU -----------------------------------------------------------------------

constexpr const char* kHostShim = R"(
#include <utility>
#define ALULA_ON_HOST
#include "alula/backends/cuda/emulated/threads.h"
static alula::cuda::emulated::Engine with;
)";

constexpr const char* kHostEnd = R"(
static inline float to_float(Half x) { return alula::internal::half_to_float(x.bits); }
static inline void from_float(float x, Half& to) { to.bits = alula::internal::float_to_half(x); }
template <class... A, size_t... I>
static void launch(void (*kernel)(A...), void** arguments, std::index_sequence<I...>) {
  engine = &with;
  gridDim.x = 2;
  blockDim.x = 3;
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x)
      kernel(*static_cast<std::remove_const_t<A>*>(arguments[I])...);
}
template <class... A>
static void launch(void (*kernel)(A...), void** arguments) {
  launch(kernel, arguments, std::index_sequence_for<A...>());
}
)";

/// Kernels compiled as C++ by the compiler that built this test. Threads run one after the other.
class HostKernels {
 public:
  explicit HostKernels(std::vector<Case>& cases) {
    // Another name each time: a library of the same name would be taken for the one before.
    static int count = 0;
    const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                         fmt::format("alula_codegen_{}_{}", getpid(), count++);
    std::filesystem::create_directory(folder);
    std::ofstream file(folder / "kernels.cpp");
    file << kHostShim << source_of(cases) << kHostEnd;
    for (size_t i = 0; i < cases.size(); ++i)
      file << fmt::format("extern \"C\" void run_{0}(void** a) {{ launch(&{0}, a); }}\n",
                          name_of_kernel(i));
    file.close();
    const std::string library = (folder / "kernels.so").string();
    const std::string command = fmt::format(
        "{} -std=c++20 -O0 -w -ffp-contract=off -shared -fPIC -I{} {} -o {}", ALULA_CXX_COMPILER,
        ALULA_SOURCE_DIR, (folder / "kernels.cpp").string(), library);
    if (std::system(command.c_str()) == 0)
      library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    std::filesystem::remove_all(folder);
  }
  bool compiled() const { return library_ != nullptr; }
  void run(size_t i, Arguments arguments) {
    const std::string name = "run_" + name_of_kernel(i);
    reinterpret_cast<void (*)(void**)>(dlsym(library_, name.c_str()))(arguments.data());
  }

 private:
  void* library_ = nullptr;
};

bool can_compile() { return access(ALULA_CXX_COMPILER, X_OK) == 0; }

void expect_values_of_the_cpu(std::vector<Case> cases) {
  ASSERT_FALSE(cases.empty());
  HostKernels kernels(cases);
  ASSERT_TRUE(kernels.compiled());
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].what);
    const ElementwiseOp op = cases[i].op();
    const Tensors expected = call_all(op, cases[i].inputs);
    std::vector<Tensor> outputs = poisoned_outputs(cases[i]);
    const std::vector<View> in = views_of(cases[i].inputs), out = views_of(outputs);
    const Layout layout(in, out);
    const auto count = static_cast<size_t>(cases[i].program->parameter_count());
    kernels.run(i, Arguments(layout, in, out, std::span(op.parameters).first(count)));
    expect_equal(outputs[0], to_array(expected[0]), expected[0].dtype());
  }
}

void expect_compiles(std::vector<Case> cases, int architecture) {
  ASSERT_FALSE(cases.empty());
  // A few hundred kernels at a time: one start of the compiler for all of them.
  constexpr size_t kBatch = 200;
  for (size_t i = 0; i < cases.size(); i += kBatch) {
    std::vector<Case> batch(cases.begin() + i, cases.begin() + std::min(cases.size(), i + kBatch));
    EXPECT_GT(cuda::compile(source_of(batch), architecture, name_of_kernel(0)).code.size(), 1000u);
  }
}

}  // namespace

TEST(Codegen, InstructionsCompileForHopper) { expect_compiles(instruction_cases(), 90); }
TEST(Codegen, OpsCompileForHopper) { expect_compiles(op_cases(), 90); }
TEST(Codegen, OpsCompileForTuring) { expect_compiles(op_cases({float32}), 75); }
TEST(Codegen, OpsCompileForAmpere) { expect_compiles(op_cases({bfloat16}), 80); }

// They serve products by a library, which the emulated card does not have.
TEST(Codegen, CopiesOfRowsCompile) {
  const KernelSource source{.files = "copy", .function = {}, .own = {}};
  for (const std::string name :
       {"set_rows_apart<unsigned short, 8>", "set_rows_apart<unsigned int, 4>",
        "set_rows_together<unsigned short, 8>", "set_rows_together<unsigned long long, 2>"})
    EXPECT_GT(cuda::compile(source.text(), 75, name).code.size(), 1000u);
}

// Kernels of any files may become links of one chain.
TEST(Codegen, AllDeviceCodeMayStandInOneSource) {
  // The others use these.
  std::vector<std::string_view> files{"arithmetic", "reduce", "reducers", "keys", "sort_block"};
  for (const std::string_view name : device_source_names())
    if (name != "prelude" && name != "chain" && std::ranges::find(files, name) == files.end())
      files.push_back(name);
  for (const bool chained : {false, true}) {
    if (chained) files.emplace_back("chain");
    const KernelSource source{.files = fmt::format("{}", fmt::join(files, " ")),
                              .function = "kernel",
                              .own = "__global__ void kernel() {}",
                              .chained = chained};
    EXPECT_GT(cuda::compile(source.text(), 90, "kernel").code.size(), 100u);
  }
}

TEST(Codegen, InstructionsGiveTheValuesOfTheCpu) {
  if (!can_compile()) GTEST_SKIP() << "the compiler that built this test is not here";
  expect_values_of_the_cpu(instruction_cases());
}

TEST(Codegen, OpsGiveTheValuesOfTheCpu) {
  if (!can_compile()) GTEST_SKIP() << "the compiler that built this test is not here";
  expect_values_of_the_cpu(op_cases());
}

/// The GPU cannot report single elements, so they are 0 there.
TEST(Codegen, IntegersDividedByZeroAreZero) {
  if (!can_compile()) GTEST_SKIP() << "the compiler that built this test is not here";
  for (Opcode opcode : {Opcode::kFloorDiv, Opcode::kMod}) {
    scalar::Builder builder;
    const Scalar a = builder.input(int32), b = builder.input(int32);
    const Scalar y = builder.emit(opcode, int32, {a, b});
    const auto program = builder.finish("test", {&y, 1});
    std::vector<Case> cases{{program.get(), {Tensor{7, -7, 7, -7}, Tensor{0, 0, 2, 2}}, ""}};
    HostKernels kernels(cases);
    ASSERT_TRUE(kernels.compiled());
    std::vector<Tensor> outputs = poisoned_outputs(cases[0]);
    const std::vector<View> in = views_of(cases[0].inputs), out = views_of(outputs);
    const Layout layout(in, out);
    kernels.run(0, Arguments(layout, in, out, {}));
    const auto values = outputs[0].to_vector<int>();
    EXPECT_EQ(values,
              opcode == Opcode::kMod ? std::vector({0, 0, 1, 1}) : std::vector({0, 0, 3, -4}));
  }
}

TEST(Codegen, SourceThatDoesNotCompileIsAnErrorWithTheCompilersWords) {
  EXPECT_ERROR(cuda::compile("__global__ void kernel() { nonsense; }", 90), InternalError,
               "nonsense");
}

TEST(Codegen, CompilesForGpusNewerThanItself) {
  const std::string image = cuda::compile("extern \"C\" __global__ void kernel() {}", 999).code;
  EXPECT_NE(image.find(".visible .entry kernel"), std::string::npos);
}
