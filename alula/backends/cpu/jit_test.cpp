// Machine code against the interpreter's routines, bit for bit.

// clang-format off: the instruction sets must be named before Highway is included
#include "alula/backends/cpu/targets.h"
#include <hwy/targets.h>
// clang-format on

#include "alula/backends/cpu/jit.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "alula/backends/cpu/routines.h"
#include "alula/ops/table.h"
#include "alula/runtime/denormals.h"
#include "alula/scalar/gradient.h"

using namespace alula;
using namespace alula::cpu;
using namespace alula::scalar;
using jit::MachineCode;
using jit::Stores;
using jit::Target;

namespace {

using Random = std::mt19937;

std::vector<Target> targets() {
  std::vector<Target> found;
  Target best;
  if (!jit::find_target(&best)) return found;
  found.push_back(Target::kAVX2);
  if (best == Target::kAVX512) found.push_back(best);
  return found;
}

/// Elements between bytes that must stay as they are, at any address.
class Array {
 public:
  Array(DType dtype, int64_t n, size_t shift = 0)
      : dtype_(dtype), n_(n), shift_(shift), bytes_(64 + shift + size() + 64, kGuard) {}

  std::byte* data() { return bytes_.data() + 64 + shift_; }
  const std::byte* data() const { return bytes_.data() + 64 + shift_; }
  size_t size() const { return static_cast<size_t>(n_) * size_of(dtype_); }
  DType dtype() const { return dtype_; }
  bool is_intact() const {
    const auto good = [](std::byte b) { return b == kGuard; };
    return std::all_of(bytes_.begin(), bytes_.begin() + 64 + static_cast<long>(shift_), good) &&
           std::all_of(bytes_.end() - 64, bytes_.end(), good);
  }

  /// Numbers around 0, among them some that are not finite, denormal, or very large.
  void fill(Random& random) {
    static constexpr float kSpecials[] = {0.f,      -0.f,    1.f,       -1.f,    INFINITY,
                                          1e-40f,   -1e-41f, -INFINITY, NAN,     3e38f,
                                          1.2e-38f, 5e4f,    1e10f,     0x1p31f, -0x1p31f};
    std::normal_distribution<float> normal(0, 3);
    for (int64_t i = 0; i < n_; ++i) {
      const float number =
          random() % 8 == 0 ? kSpecials[random() % std::size(kSpecials)] : normal(random);
      const auto whole = static_cast<int32_t>(random() % 4 == 0 ? random() : random() % 20 - 10);
      with_type(dtype_, [&]<class T>(Type<T>) {
        T value;
        if constexpr (std::is_same_v<T, bool>)
          value = whole % 2 != 0;
        else if constexpr (std::is_integral_v<T>)
          value = static_cast<T>(whole);
        else
          value = static_cast<T>(number);
        std::memcpy(data() + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
      });
    }
  }

 private:
  static constexpr std::byte kGuard{0x5a};
  DType dtype_;
  int64_t n_;
  size_t shift_;
  std::vector<std::byte> bytes_;
};

/// The words of a call: one for each constant and parameter.
std::vector<uint64_t> words_of(const Program& program, const std::vector<double>& parameters) {
  std::vector<uint64_t> words;
  for (const Instruction& step : program.code()) {
    if (step.opcode != Opcode::kConstant && step.opcode != Opcode::kParameter) continue;
    words.push_back(0);
    with_type(step.dtype, [&]<class T>(Type<T>) {
      T value;
      if (step.opcode == Opcode::kParameter)
        value = static_cast<T>(parameters[static_cast<size_t>(step.index)]);
      else if (is_floating(step.dtype))
        value = static_cast<T>(step.number);
      else
        value = static_cast<T>(step.integer);
      std::memcpy(&words.back(), &value, sizeof(T));
    });
  }
  return words;
}

/// What the interpreter computes: one routine after the other.
std::vector<Array> interpret(const Program& program, std::vector<Array>& inputs, uint64_t ones,
                             std::vector<uint64_t> words, int64_t n) {
  const FlushDenormals flush;
  std::vector<Array> values;
  std::vector<bool> uniform;
  size_t word = 0;
  for (const Instruction& step : program.code()) {
    const int count = operand_count(step.opcode);
    values.emplace_back(step.dtype, std::max<int64_t>(n, 1));
    uniform.push_back(count == 0 &&
                      (step.opcode != Opcode::kInput || (ones >> step.index & 1) != 0));
    if (step.opcode == Opcode::kInput) {
      const Array& input = inputs[static_cast<size_t>(step.index)];
      std::memcpy(values.back().data(), input.data(), input.size());
    } else if (count == 0) {
      std::memcpy(values.back().data(), &words[word++], size_of(step.dtype));
    } else {
      const void* operands[3];
      uint32_t bits = 0, faults = 0;
      for (int k = 0; k < count; ++k) {
        operands[k] = values[step.operands[k]].data();
        bits |= static_cast<uint32_t>(uniform[step.operands[k]]) << k;
      }
      const DType operand = program.code()[step.operands[count - 1]].dtype;
      find_routine(step.opcode, operand, step.dtype)(values.back().data(), operands, bits, n,
                                                     &faults);
    }
  }
  std::vector<Array> results;
  for (uint16_t result : program.results()) {
    Array copy(program.code()[result].dtype, n);
    const size_t width = size_of(copy.dtype());
    for (size_t i = 0; i < static_cast<size_t>(n); ++i)
      std::memcpy(copy.data() + i * width,
                  values[result].data() + (uniform[result] ? 0 : i * width), width);
    results.push_back(std::move(copy));
  }
  return results;
}

/// Whether two elements are the same. Any NaN is as good as another. A denormal number is as good
/// as 0: the instructions for minima make it that, those for selection don't, and compilers choose.
bool same(DType dtype, const std::byte* a, const std::byte* b) {
  return with_type(dtype, [&]<class T>(Type<T>) {
    T x, y;
    std::memcpy(&x, a, sizeof(T));
    std::memcpy(&y, b, sizeof(T));
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, BFloat16>) {
      for (T* value : {&x, &y})
        if (std::fpclassify(static_cast<float>(*value)) == FP_SUBNORMAL)
          *value = std::copysign(0.f, static_cast<float>(*value));
    }
    if constexpr (!std::is_integral_v<T>)
      if (std::isnan(static_cast<float>(x)) && std::isnan(static_cast<float>(y))) return true;
    return std::memcmp(&x, &y, sizeof(T)) == 0;
  });
}

/// Bytes as a number to the base of 16.
std::string text(const std::byte* bytes, size_t count) {
  std::string digits;
  for (size_t i = count; i-- > 0;) digits += fmt::format("{:02x}", static_cast<int>(bytes[i]));
  return digits;
}

/// Runs the machine code; what it leaves out is taken from `expected`.
void run(const MachineCode& code, std::vector<std::byte*> addresses, const uint64_t* words,
         int64_t n, const std::vector<size_t>& widths, std::vector<Array>& expected,
         size_t first_output) {
  const FlushDenormals flush;
  for (int64_t done = 0; done < n;) {
    std::vector<std::byte*> at = addresses;
    for (size_t k = 0; k < at.size(); ++k) at[k] += static_cast<size_t>(done) * widths[k];
    done += code(at.data(), words, n - done);
    if (done == n) break;
    ASSERT_TRUE(code.can_stop());
    const int64_t others = std::min(code.step(), n - done);
    for (size_t k = first_output; k < addresses.size(); ++k)
      std::memcpy(addresses[k] + static_cast<size_t>(done) * widths[k],
                  expected[k - first_output].data() + static_cast<size_t>(done) * widths[k],
                  static_cast<size_t>(others) * widths[k]);
    done += others;
  }
}

struct Call {
  int64_t n = 0;
  uint64_t ones = 0;
  size_t shift = 0;
  bool in_place = false;
};

/// Compares one call, with every instruction set. Whether there was machine code.
bool compare(const Program& program, const Call& call, Random& random) {
  std::vector<double> parameters;
  for (int i = 0; i < program.parameter_count(); ++i)
    parameters.push_back(static_cast<double>(random() % 100) / 10 - 3);
  const std::vector<uint64_t> words = words_of(program, parameters);
  bool compiled = false;
  for (Target target : targets()) {
    const auto code = MachineCode::make(program, call.ones, Stores::kPlain, target);
    if (code == nullptr) continue;
    compiled = true;
    std::vector<Array> inputs, outputs;
    for (size_t k = 0; k < program.inputs().size(); ++k) {
      inputs.emplace_back(program.inputs()[k], (call.ones >> k & 1) != 0 ? 1 : call.n, call.shift);
      inputs.back().fill(random);
    }
    std::vector<Array> expected = interpret(program, inputs, call.ones, words, call.n);
    std::vector<std::byte*> addresses;
    std::vector<size_t> widths;
    for (size_t k = 0; k < inputs.size(); ++k) {
      addresses.push_back(inputs[k].data());
      widths.push_back((call.ones >> k & 1) != 0 ? 0 : size_of(inputs[k].dtype()));
    }
    outputs.reserve(expected.size());
    std::vector<bool> taken(inputs.size(), false);
    for (const Array& result : expected) {
      outputs.emplace_back(result.dtype(), call.n, call.shift);
      std::byte* place = outputs.back().data();
      for (size_t k = 0; call.in_place && k < inputs.size(); ++k)
        if (!taken[k] && widths[k] != 0 && inputs[k].dtype() == result.dtype()) {
          taken[k] = true;
          place = inputs[k].data();
          break;
        }
      addresses.push_back(place);
      widths.push_back(size_of(result.dtype()));
    }
    run(*code, addresses, words.data(), call.n, widths, expected, inputs.size());
    for (size_t k = 0; k < expected.size(); ++k) {
      const std::byte* got = addresses[inputs.size() + k];
      const size_t width = widths[inputs.size() + k];
      for (size_t i = 0; i < static_cast<size_t>(call.n); ++i)
        if (!same(expected[k].dtype(), got + i * width, expected[k].data() + i * width)) {
          ADD_FAILURE() << "element " << i << " of " << call.n << " of result " << k << " is "
                        << text(got + i * width, width) << " instead of "
                        << text(expected[k].data() + i * width, width) << " in\n"
                        << program.str() << "\nwith AVX" << (target == Target::kAVX2 ? "2" : "-512")
                        << ", ones " << call.ones;
          return true;
        }
    }
    for (const Array& array : inputs) EXPECT_TRUE(array.is_intact()) << program.str();
    for (const Array& array : outputs) EXPECT_TRUE(array.is_intact()) << program.str();
  }
  return compiled;
}

/// The same for some lengths and some choices of single elements.
bool compare(const Program& program, Random& random, int calls = 6) {
  bool compiled = false;
  for (int i = 0; i < calls; ++i) {
    Call call{.n = static_cast<int64_t>(random() % 101)};
    if (i == 0) call.n = 100;
    if (i % 2 == 1) call.ones = random() & ((uint64_t{1} << program.inputs().size()) - 1);
    call.shift = random() % 4 * 4;
    call.in_place = random() % 2 == 0;
    compiled = compare(program, call, random);
    if (!compiled || ::testing::Test::HasFailure()) return compiled;
  }
  return compiled;
}

/// A random function of random inputs.
class RandomProgram {
 public:
  RandomProgram(Random& random, int length) : random_(random) {
    const int inputs = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < inputs; ++i) {
      static constexpr DType kTypes[] = {float32, float32, float32, float16, bfloat16,
                                         boolean, int32,   uint8,   int8};
      keep(builder_.input(i == 0 ? float32 : kTypes[random() % std::size(kTypes)]));
    }
    if (random() % 2 == 0) keep(builder_.parameter(float32));
    keep(builder_.constant(float32, static_cast<double>(random() % 7) - 2));
    for (int i = 0; i < length; ++i) keep(step());
    std::vector<Scalar> results;
    for (size_t i = 0; i < 1 + random() % 3; ++i) results.push_back(pick_result());
    program_ = builder_.finish("random", results);
  }
  const Program& operator*() const { return *program_; }

 private:
  void keep(Scalar value) {
    const DType dtype = value.dtype();
    (dtype == float32   ? floats_
     : dtype == boolean ? truths_
     : dtype == int32   ? integers_
                        : others_)
        .push_back(value);
  }
  /// Mostly one of the last.
  Scalar pick(const std::vector<Scalar>& from) {
    const size_t last = random_() % 3 == 0 ? from.size() : std::min<size_t>(from.size(), 4);
    return from[from.size() - 1 - random_() % last];
  }
  Scalar pick_result() {
    if (!truths_.empty() && random_() % 6 == 0) return pick(truths_);
    if (!integers_.empty() && random_() % 6 == 0) return pick(integers_);
    if (random_() % 8 == 0) return cast(pick(floats_), random_() % 2 == 0 ? float16 : bfloat16);
    return pick(floats_);
  }
  Scalar step() {
    static constexpr Opcode kUnary[] = {
        Opcode::kNeg,   Opcode::kAbs,  Opcode::kSqrt, Opcode::kExp,   Opcode::kExpm1,
        Opcode::kLog,   Opcode::kTanh, Opcode::kErf,  Opcode::kSin,   Opcode::kCos,
        Opcode::kLog1p, Opcode::kTan,  Opcode::kCeil, Opcode::kFloor, Opcode::kRound};
    static constexpr Opcode kBinary[] = {Opcode::kAdd, Opcode::kSub, Opcode::kMul,     Opcode::kDiv,
                                         Opcode::kMin, Opcode::kMax, Opcode::kFloorDiv};
    static constexpr Opcode kCompare[] = {Opcode::kEqual, Opcode::kNotEqual, Opcode::kLess,
                                          Opcode::kLessEqual};
    const auto any = [this](const auto& codes) { return codes[random_() % std::size(codes)]; };
    const Scalar x = pick(floats_), y = pick(floats_);
    switch (random_() % 12) {
      case 0: return unary(any(kUnary), x);
      case 1: return compare(any(kCompare), x, y);
      case 2:
        if (truths_.empty()) break;
        return select(pick(truths_), x, y);
      case 3: {
        if (truths_.empty()) break;
        const Scalar a = pick(truths_), b = pick(truths_);
        static constexpr Opcode kLogic[] = {Opcode::kAnd, Opcode::kOr, Opcode::kEqual,
                                            Opcode::kNotEqual};
        return random_() % 4 == 0   ? !a
               : random_() % 5 == 0 ? select(a, b, !b)
                                    : compare(any(kLogic), a, b);
      }
      case 4:
        switch (random_() % 4) {
          case 0: return cast(x, int32);
          case 1: return cast(x, boolean);
          case 2: return cast(cast(x, float16), float32);
          default: return cast(cast(x, bfloat16), float32);
        }
      case 5:
        if (others_.empty()) break;
        return cast(pick(others_), random_() % 3 == 0 ? int32 : float32);
      case 6: {
        if (integers_.empty()) break;
        static constexpr Opcode kInteger[] = {Opcode::kAdd, Opcode::kSub, Opcode::kMul,
                                              Opcode::kMin, Opcode::kMax};
        const Scalar a = pick(integers_), b = pick(integers_);
        switch (random_() % 5) {
          case 0: return compare(any(kCompare), a, b);
          case 1: return unary(random_() % 2 == 0 ? Opcode::kNeg : Opcode::kAbs, a);
          case 2: return cast(a, random_() % 2 == 0 ? float32 : boolean);
          default: return binary(any(kInteger), a, b);
        }
      }
      default: break;
    }
    return binary(any(kBinary), x, y);
  }

  Builder builder_;
  Random& random_;
  std::vector<Scalar> floats_, truths_, integers_, others_;
  std::unique_ptr<Program> program_;
};

}  // namespace

#define SKIP_WITHOUT_MACHINE_CODE() \
  if (targets().empty()) GTEST_SKIP() << "there is no machine code on this machine"

TEST(Jit, ComputesElementwiseFunctionsAsTheInterpreterDoes) {
  SKIP_WITHOUT_MACHINE_CODE();
  Random random(1);
  std::string left_out;
  for (const Elementwise* function : elementwise_table())
    for (DType dtype : {float32, float16, bfloat16, int32, boolean}) {
      if (!function->dtypes().contains(dtype)) continue;
      const Program& program = function->program(dtype);
      const bool compiled = compare(program, random);
      if (!compiled && dtype == float32) left_out += std::string(" ") + function->name();
      if (!is_floating(dtype)) continue;
      for (uint64_t wanted = 1; wanted < uint64_t{1} << program.inputs().size(); ++wanted)
        if (const Program* gradient = gradient_of(program, wanted).program.get())
          compare(*gradient, random);
      ASSERT_FALSE(HasFailure()) << function->name();
    }
  EXPECT_EQ(left_out, " mod polygamma pow zeta");
}

TEST(Jit, ComputesEveryLengthAndNoFurther) {
  SKIP_WITHOUT_MACHINE_CODE();
  Random random(2);
  Builder builder;
  const Scalar x = builder.input(float32), y = builder.input(boolean), z = builder.input(float16);
  const Scalar sum = x + cast(z, float32);
  const Scalar results[] = {select(y, sum, exp(x)), sum < x && y, cast(sum, float16),
                            cast(sum, bfloat16), cast(sum, int32)};
  const auto program = builder.finish("lengths", results);
  for (int64_t n = 0; n <= 100; ++n)
    for (size_t shift : {0, 1, 2, 4})
      for (uint64_t ones : {0, 1, 2, 4, 7})
        ASSERT_TRUE(compare(*program, {.n = n, .ones = ones, .shift = shift}, random));
}

TEST(Jit, ComputesRandomPrograms) {
  SKIP_WITHOUT_MACHINE_CODE();
  Random random(3);
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    const RandomProgram program(random, 1 + static_cast<int>(random() % 30));
    EXPECT_TRUE(compare(*program, random, 3)) << (*program).str();
  }
}

TEST(Jit, ComputesAnOptimizersStepInPlace) {
  SKIP_WITHOUT_MACHINE_CODE();
  Random random(6);
  Builder builder;
  const Scalar rate = builder.input(float32), w = builder.input(float32),
               g = builder.input(float32), m = builder.input(float32), v = builder.input(float32);
  const Scalar beta = builder.parameter(float32);
  const Scalar new_m = m + (g - m) * (1 - beta), new_v = v + (g * g - v) * beta;
  const Scalar results[] = {w - new_m * rate / (sqrt(new_v) + 1e-7), new_m, new_v};
  const auto program = builder.finish("adam", results);
  for (int64_t n : {0, 1, 15, 16, 17, 100, 1000})
    for (bool in_place : {false, true})
      EXPECT_TRUE(compare(*program, {.n = n, .ones = 1, .in_place = in_place}, random));
}

TEST(Jit, KeepsManyValuesOnTheStack) {
  SKIP_WITHOUT_MACHINE_CODE();
  Random random(4);
  for (int inputs : {3, 20, 40}) {
    Builder builder;
    std::vector<Scalar> values, truths;
    for (int i = 0; i < inputs; ++i) values.push_back(builder.input(float32));
    for (int i = 0; i < inputs; ++i) truths.push_back(values[i] < values[(i + 1) % inputs]);
    for (int i = 0; i < 60; ++i)
      values.push_back(values[i % inputs] * values.back() + abs(values[i]));
    values.push_back(tanh(values.back()));
    Scalar sum = values[0];
    for (size_t i = 0; i < values.size(); ++i)
      sum = select(truths[i % truths.size()], sum + values[i], sum);
    const Scalar results[] = {sum, values.back(), values[1]};
    const auto program = builder.finish("many", results);
    EXPECT_TRUE(compare(*program, random, 8));
  }
}

TEST(Jit, StopsAtAnglesThatAreTooLarge) {
  SKIP_WITHOUT_MACHINE_CODE();
  Builder builder;
  const Scalar x = builder.input(float32);
  const Scalar result = sin(x) + cos(x);
  const auto program = builder.finish("angles", {&result, 1});
  std::vector<float> in(100, 1), out(100, 7);
  in[70] = 1e6f;
  for (Target target : targets()) {
    const auto code = MachineCode::make(*program, 0, Stores::kPlain, target);
    std::byte* addresses[] = {reinterpret_cast<std::byte*>(in.data()),
                              reinterpret_cast<std::byte*>(out.data())};
    const int64_t done = (*code)(addresses, nullptr, 100);
    EXPECT_LE(done, 70);
    EXPECT_GT(done + code->step(), 70);
    EXPECT_EQ(out[static_cast<size_t>(done)], 7);
  }
}

TEST(Jit, WritesPastTheCaches) {
  SKIP_WITHOUT_MACHINE_CODE();
  Builder builder;
  const Scalar x = builder.input(float32);
  const Scalar result = x * 2 + 1;
  const auto program = builder.finish("stream", {&result, 1});
  for (Target target : targets())
    for (int64_t n : {0, 3, 64, 1000}) {
      const auto code = MachineCode::make(*program, 0, Stores::kStreaming, target);
      std::vector<float> in(static_cast<size_t>(n) + 1);
      for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
      alignas(64) float out[1024] = {};
      std::byte* addresses[] = {reinterpret_cast<std::byte*>(in.data()),
                                reinterpret_cast<std::byte*>(out)};
      const auto words = words_of(*program, {});
      EXPECT_EQ((*code)(addresses, words.data(), n), n);
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(out[i], static_cast<float>(2 * i + 1));
      EXPECT_EQ(out[n], 0);
    }
}

TEST(Jit, LeavesOtherTypesToTheInterpreter) {
  Random random(5);
  for (DType dtype : {float64, int64, int16, uint32}) {
    Builder builder;
    const Scalar x = builder.input(dtype);
    const Scalar result = x + x;
    const auto program = builder.finish("other", {&result, 1});
    EXPECT_EQ(MachineCode::make(*program, 0, Stores::kPlain), nullptr);
  }
}

TEST(Jit, CompilesQuickly) {
  SKIP_WITHOUT_MACHINE_CODE();
  Builder builder;
  const Scalar x = builder.input(float32), y = builder.input(float32);
  Scalar value = x;
  for (int i = 0; i < 9; ++i) value = value * y + x;
  const Scalar result = tanh(value) * y;
  const auto program = builder.finish("twenty", {&result, 1});
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto code = MachineCode::make(*program, 0, Stores::kPlain);
    const auto end = std::chrono::steady_clock::now();
    best = std::min(best, std::chrono::duration<double, std::micro>(end - start).count());
  }
  EXPECT_LT(best, 1000);  // on a quiet machine about 50
  RecordProperty("microseconds", static_cast<int>(best));
}
