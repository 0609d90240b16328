#include "alula/scalar/properties.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace alula::scalar {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// What a value does while the input grows.
enum class Course : uint8_t { kStays, kGrows, kFalls, kUnknown };

Course flipped(Course course) {
  if (course == Course::kGrows) return Course::kFalls;
  return course == Course::kFalls ? Course::kGrows : course;
}

/// Of a sum, a maximum, or anything else that grows with both.
Course together(Course a, Course b) {
  if (a == Course::kStays) return b;
  if (b == Course::kStays || a == b) return a;
  return Course::kUnknown;
}

struct Range {
  double low = -kInfinity, high = kInfinity;
  bool is_number() const { return low == high; }
};

/// From the smallest to the largest of some numbers; anything if one is not known.
Range hull(std::initializer_list<double> numbers) {
  Range range{kInfinity, -kInfinity};
  for (double x : numbers) {
    if (std::isnan(x)) return {};
    range = {std::min(range.low, x), std::max(range.high, x)};
  }
  return range;
}

/// How a factor changes the course of what it multiplies.
Course times(Course course, const Range& factor) {
  if (course == Course::kStays || factor.low >= 0) return course;
  return factor.high <= 0 ? flipped(course) : Course::kUnknown;
}

struct Fact {
  Course course = Course::kStays;
  Range range;
};

/// One operand's function, or NaN if it is none of those that grow everywhere.
double growing(Opcode opcode, double x) {
  switch (opcode) {
    case Opcode::kCast: return x;
    case Opcode::kSqrt: return std::sqrt(std::max(x, 0.0));
    case Opcode::kExp: return std::exp(x);
    case Opcode::kExpm1: return std::expm1(x);
    case Opcode::kLog: return std::log(std::max(x, 0.0));
    case Opcode::kLog1p: return std::log1p(std::max(x, -1.0));
    case Opcode::kTanh: return std::tanh(x);
    case Opcode::kErf: return std::erf(x);
    case Opcode::kFloor: return std::floor(x);
    case Opcode::kCeil: return std::ceil(x);
    case Opcode::kRound: return std::nearbyint(x);
    default: return kNaN;
  }
}

double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

double constant_of(const Instruction& step) {
  return is_floating(step.dtype) ? step.number : static_cast<double>(step.integer);
}

/// Goes through a program once and notes what each value does while one input grows.
class Courses {
 public:
  Courses(const Program& program, size_t input, std::span<const double> parameters)
      : code_(program.code()), input_(input), parameters_(parameters) {
    for (const Instruction& step : code_) facts_.push_back(fact_of(step));
  }
  Course of(uint16_t position) const { return facts_[position].course; }

 private:
  const Fact& operand(const Instruction& step, int k) const { return facts_[step.operands[k]]; }

  Fact fact_of(const Instruction& step) const {
    const int count = operand_count(step.opcode);
    switch (step.opcode) {
      case Opcode::kInput:
        return {static_cast<size_t>(step.index) == input_ ? Course::kGrows : Course::kStays, {}};
      case Opcode::kParameter: return {Course::kStays, hull({parameters_[step.index]})};
      case Opcode::kConstant: return {Course::kStays, hull({constant_of(step)})};
      case Opcode::kSelect: return select(step);
      default: return count == 1 ? unary(step, operand(step, 0)) : binary(step);
    }
  }

  static Fact unary(const Instruction& step, const Fact& a) {
    const Range& r = a.range;
    switch (step.opcode) {
      case Opcode::kNeg: return {flipped(a.course), {-r.high, -r.low}};
      case Opcode::kNot: return {flipped(a.course), {0, 1}};
      case Opcode::kAbs:
        if (r.low >= 0) return a;
        if (r.high <= 0) return {flipped(a.course), {-r.high, -r.low}};
        return {unless_it_stays(a.course), {0, std::max(-r.low, r.high)}};
      default: break;
    }
    if (std::isnan(growing(step.opcode, 0.5))) return {unless_it_stays(a.course), {}};
    return {a.course, hull({growing(step.opcode, r.low), growing(step.opcode, r.high)})};
  }

  static Course unless_it_stays(Course course) {
    return course == Course::kStays ? course : Course::kUnknown;
  }

  Fact binary(const Instruction& step) const {
    const Fact &a = operand(step, 0), &b = operand(step, 1);
    const Range &x = a.range, &y = b.range;
    switch (step.opcode) {
      case Opcode::kAdd:
        return {together(a.course, b.course), hull({x.low + y.low, x.high + y.high})};
      case Opcode::kSub:
        return {together(a.course, flipped(b.course)), hull({x.low - y.high, x.high - y.low})};
      case Opcode::kMul: return product(a, b);
      case Opcode::kDiv: return product(a, inverse(b));
      case Opcode::kMin:
        return {together(a.course, b.course), {std::min(x.low, y.low), std::min(x.high, y.high)}};
      case Opcode::kMax:
        return {together(a.course, b.course), {std::max(x.low, y.low), std::max(x.high, y.high)}};
      // From false to true is up.
      case Opcode::kLess:
      case Opcode::kLessEqual: return {together(flipped(a.course), b.course), {0, 1}};
      case Opcode::kAnd:
      case Opcode::kOr: return {together(a.course, b.course), {0, 1}};
      default: return {unless_it_stays(together(a.course, b.course)), {}};
    }
  }

  static Fact product(const Fact& a, const Fact& b) {
    const Range &x = a.range, &y = b.range;
    return {together(times(a.course, y), times(b.course, x)),
            hull({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high})};
  }

  static Fact inverse(const Fact& a) {
    const Range& r = a.range;
    if (r.low > 0 || r.high < 0) return {flipped(a.course), {1 / r.high, 1 / r.low}};
    return {unless_it_stays(a.course), {}};
  }

  /// Where the condition changes, the value must not fall.
  Fact select(const Instruction& step) const {
    const Fact &condition = operand(step, 0), &a = operand(step, 1), &b = operand(step, 2);
    Fact result{together(a.course, b.course),
                {std::min(a.range.low, b.range.low), std::max(a.range.high, b.range.high)}};
    if (condition.course == Course::kStays) return result;
    const uint16_t changes = step.operands[0];
    const bool late = condition.course == Course::kGrows;  // a comes after b
    const uint16_t first = step.operands[late ? 2 : 1], second = step.operands[late ? 1 : 2];
    const bool rises = result.course == Course::kGrows || result.course == Course::kStays;
    if (condition.course == Course::kUnknown || !rises || !steps_up(changes, first, second))
      result.course = Course::kUnknown;
    else
      result.course = Course::kGrows;
    return result;
  }

  /// Whether `second` is at least `first` where the condition changes: where one side of a
  /// comparison reaches a number.
  bool steps_up(uint16_t condition, uint16_t first, uint16_t second) const {
    if (facts_[second].range.low >= facts_[first].range.high) return true;
    const Instruction& compare = code_[condition];
    if (compare.opcode != Opcode::kLess && compare.opcode != Opcode::kLessEqual) return false;
    for (int k = 0; k < 2; ++k) {
      const Fact& border = operand(compare, 1 - k);
      if (!border.range.is_number()) continue;
      const double at = border.range.low;
      const double before = value(first, compare.operands[k], at);
      const double after = value(second, compare.operands[k], at);
      const double scale = std::max({1.0, std::abs(before), std::abs(after)});
      return after >= before - 1e-9 * scale;  // not if one is NaN
    }
    return false;
  }

  /// A value where another one is a number; NaN if it depends on more than that.
  double value(uint16_t position, uint16_t known, double number) const {
    if (position == known) return number;
    if (facts_[position].range.is_number()) return facts_[position].range.low;
    const Instruction& step = code_[position];
    const auto at = [&](int k) { return value(step.operands[k], known, number); };
    switch (step.opcode) {
      case Opcode::kInput: return kNaN;
      case Opcode::kNeg: return -at(0);
      case Opcode::kAbs: return std::abs(at(0));
      case Opcode::kAdd: return at(0) + at(1);
      case Opcode::kSub: return at(0) - at(1);
      case Opcode::kMul: return at(0) * at(1);
      case Opcode::kDiv: return at(0) / at(1);
      case Opcode::kMin: return -larger(-at(0), -at(1));
      case Opcode::kMax: return larger(at(0), at(1));
      default: return operand_count(step.opcode) == 1 ? growing(step.opcode, at(0)) : kNaN;
    }
  }

  const std::vector<Instruction>& code_;
  size_t input_;
  std::span<const double> parameters_;
  std::vector<Fact> facts_;
};

/// How a value depends on one input.
enum class Dependence : uint8_t { kZero, kNone, kLinear, kOther };

Dependence dependence_of(const Instruction& step, size_t input, auto operand) {
  using enum Dependence;
  const int count = operand_count(step.opcode);
  if (step.opcode == Opcode::kInput)
    return static_cast<size_t>(step.index) == input ? kLinear : kNone;
  if (step.opcode == Opcode::kConstant) return constant_of(step) == 0 ? kZero : kNone;
  bool depends = false;
  for (int k = 0; k < count; ++k) depends = depends || operand(k) >= kLinear;
  if (!depends) return kNone;
  const auto linear = [&](int k) { return operand(k) == kLinear || operand(k) == kZero; };
  const auto free = [&](int k) { return operand(k) <= kNone; };
  bool stays = false;
  switch (step.opcode) {
    case Opcode::kNeg: stays = linear(0); break;
    case Opcode::kCast: stays = linear(0) && is_floating(step.dtype); break;
    case Opcode::kAdd:
    case Opcode::kSub: stays = linear(0) && linear(1); break;
    case Opcode::kMul: stays = (linear(0) && free(1)) || (free(0) && linear(1)); break;
    case Opcode::kDiv: stays = linear(0) && free(1); break;
    case Opcode::kSelect: stays = free(0) && linear(1) && linear(2); break;
    default: break;
  }
  return stays ? kLinear : kOther;
}

}  // namespace

bool is_non_decreasing(const Program& program, size_t input, std::span<const double> parameters) {
  const Courses courses(program, input, parameters);
  return std::all_of(program.results().begin(), program.results().end(), [&](uint16_t result) {
    return courses.of(result) == Course::kGrows || courses.of(result) == Course::kStays;
  });
}

bool is_linear(const Program& program, size_t input) {
  std::vector<Dependence> values;
  for (const Instruction& step : program.code())
    values.push_back(dependence_of(step, input, [&](int k) { return values[step.operands[k]]; }));
  return std::all_of(program.results().begin(), program.results().end(), [&](uint16_t result) {
    return values[result] == Dependence::kLinear || values[result] == Dependence::kZero;
  });
}

}  // namespace alula::scalar
