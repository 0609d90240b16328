#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "alula/backends/cpu/jit.h"
#include "alula/backends/cpu/routines.h"
#include "alula/runtime/denormals.h"

/// What the tests of machine code share: it is compared with the interpreter's routines, bit for
/// bit.
namespace alula::cpu::testing {

using jit::MachineCode;
using jit::Stores;
using jit::Target;
using scalar::Instruction;
using scalar::Opcode;
using scalar::Program;

using Random = std::mt19937;

inline std::vector<Target> targets() {
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
inline std::vector<uint64_t> words_of(const Program& program,
                                      const std::vector<double>& parameters) {
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
inline std::vector<Array> interpret(const Program& program, std::vector<Array>& inputs,
                                    uint64_t ones, std::vector<uint64_t> words, int64_t n) {
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
inline bool same(DType dtype, const std::byte* a, const std::byte* b) {
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
inline std::string text(const std::byte* bytes, size_t count) {
  std::string digits;
  for (size_t i = count; i-- > 0;) digits += fmt::format("{:02x}", static_cast<int>(bytes[i]));
  return digits;
}

/// Runs the machine code; what it leaves out is taken from `expected`.
inline void run(const MachineCode& code, std::vector<std::byte*> addresses, const uint64_t* words,
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
inline bool compare(const Program& program, const Call& call, Random& random) {
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
inline bool compare(const Program& program, Random& random, int calls = 6) {
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

}  // namespace alula::cpu::testing

#define SKIP_WITHOUT_MACHINE_CODE() \
  if (targets().empty()) GTEST_SKIP() << "there is no machine code on this machine"
