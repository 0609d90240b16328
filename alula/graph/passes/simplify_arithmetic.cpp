#include <cmath>
#include <limits>

#include "alula/graph/passes/simplify.h"
#include "alula/ops/all.h"

namespace alula::graph {
namespace {

/// What a value of a scalar program comes down to, when some of its inputs are known.
struct Meaning {
  enum class Kind : uint8_t { kUnknown, kInput, kNumber };
  Kind kind = Kind::kUnknown;
  size_t input = 0;
  double number = 0;

  bool is(double wanted) const { return kind == Kind::kNumber && number == wanted; }
  bool operator==(const Meaning&) const = default;
};

/// Follows a program of which some inputs are known numbers.
class Follower {
 public:
  Follower(const ElementwiseOp& op, std::span<const std::optional<double>> numbers)
      : op_(op), code_(op.program().code()), numbers_(numbers) {
    for (const scalar::Instruction& step : code_) values_.push_back(follow(step));
  }
  const Meaning& result(size_t k) const { return values_[op_.program().results()[k]]; }

 private:
  using Kind = Meaning::Kind;

  static Meaning number(double value) { return {.kind = Kind::kNumber, .number = value}; }

  Meaning follow(const scalar::Instruction& step) const {
    using enum scalar::Opcode;
    const auto at = [&](int k) -> const Meaning& { return values_[step.operands[k]]; };
    switch (step.opcode) {
      case kInput: {
        const auto input = static_cast<size_t>(step.index);
        return numbers_[input] ? number(*numbers_[input])
                               : Meaning{.kind = Kind::kInput, .input = input};
      }
      case kParameter: return number(op_.parameters[static_cast<size_t>(step.index)]);
      case kConstant:
        return number(is_floating(step.dtype) ? step.number : static_cast<double>(step.integer));
      case kCast: return cast(at(0), step.dtype);
      case kAdd: return at(0).is(0) ? at(1) : at(1).is(0) ? at(0) : Meaning();
      case kSub: return at(1).is(0) ? at(0) : Meaning();
      case kMul: return product(at(0), at(1), step.dtype);
      case kDiv: return at(1).is(1) ? at(0) : Meaning();
      case kPow: return at(1).is(1) && is_floating(step.dtype) ? at(0) : Meaning();
      case kMin: return extreme(at(0), at(1), std::numeric_limits<double>::infinity());
      case kMax: return extreme(at(0), at(1), -std::numeric_limits<double>::infinity());
      case kAnd:
        return at(0).is(0) || at(1).is(1) ? at(0) : at(1).is(0) || at(0).is(1) ? at(1) : Meaning();
      case kOr:
        return at(0).is(1) || at(1).is(0) ? at(0) : at(1).is(1) || at(0).is(0) ? at(1) : Meaning();
      case kSelect:
        if (at(0).kind == Kind::kNumber) return at(0).number != 0 ? at(1) : at(2);
        return at(1) == at(2) ? at(1) : Meaning();
      default: return {};
    }
  }

  /// A number too large or too small for the dtype is no longer that number.
  Meaning cast(const Meaning& value, DType dtype) const {
    if (value.kind == Kind::kInput)
      return is_lossless(op_.program().inputs()[value.input], dtype) ? value : Meaning();
    return value.is(0) || value.is(1) ? value : Meaning();
  }

  /// 0 times a floating point number may be NaN; times an integer it is 0.
  static Meaning product(const Meaning& a, const Meaning& b, DType dtype) {
    if (a.is(1)) return b;
    if (b.is(1)) return a;
    const bool vanishes = !is_floating(dtype) && (a.is(0) || b.is(0));
    return vanishes ? number(0) : Meaning();
  }

  static Meaning extreme(const Meaning& a, const Meaning& b, double neutral) {
    return a.is(neutral) ? b : b.is(neutral) || a == b ? a : Meaning();
  }

  const ElementwiseOp& op_;
  const std::vector<scalar::Instruction>& code_;
  std::span<const std::optional<double>> numbers_;
  std::vector<Meaning> values_;
};

Number as_number(double value, DType dtype) {
  if (dtype == boolean) return value != 0;
  if (is_integer(dtype)) return static_cast<int64_t>(value);
  return value;
}

/// An elementwise op that gives one of its inputs, or the same number everywhere, as in x + 0.
Simpler what_it_comes_down_to(Graph& graph, size_t i) {
  const Node& node = graph.nodes[i];
  const auto* op = op_as<ElementwiseOp>(node);
  if (op == nullptr || node.outputs.size() != 1 || op->program().can_fail()) return {};
  std::vector<std::optional<double>> numbers;
  bool all = true;
  for (const Value& input : node.inputs) {
    numbers.push_back(uniform_number(graph, input));
    all = all && numbers.back().has_value();
  }
  if (all) return {};  // constant folding's
  const Meaning meaning = Follower(*op, numbers).result(0);
  const Spec& output = node.outputs[0];
  if (meaning.kind == Meaning::Kind::kInput) {
    const Value input = node.inputs[meaning.input];
    if (graph.spec(input).dtype != output.dtype) return {};
    return graph.spec(input) == output ? input
                                       : add_node(graph, BroadcastTo(output.shape), {input});
  }
  if (meaning.kind != Meaning::Kind::kNumber || !output.shape.is_known()) return {};
  return add_node(graph, Fill(output.shape, as_number(meaning.number, output.dtype), output.dtype),
                  {});
}

/// A call of a function with one of its arguments.
Value call_of(Graph& graph, const Elementwise& function, std::vector<Value> inputs) {
  const DType dtype = graph.spec(inputs.back()).dtype;
  return add_node(graph, ElementwiseOp(function.program(dtype)), std::move(inputs));
}

/// What undoes itself, or does nothing the second time.
Simpler twice(Graph& graph, size_t i) {
  const Node& node = graph.nodes[i];
  if (op_as<ElementwiseOp>(node) == nullptr || node.inputs.size() != 1) return {};
  const Value x = node.inputs[0];
  const Node& inner = maker(graph, x);
  if (op_as<ElementwiseOp>(inner) == nullptr || inner.inputs.size() != 1) return {};
  for (const Elementwise* function : {&neg, &logical_not})
    if (is_call_of(node, *function) && is_call_of(inner, *function)) return inner.inputs[0];
  for (const Elementwise* function :
       {&alula::abs, &relu, &relu6, &alula::floor, &alula::ceil, &alula::round, &sign})
    if (is_call_of(node, *function) && is_call_of(inner, *function)) return x;
  for (const Elementwise* function : {&alula::abs, &square})
    if (is_call_of(node, *function) && (is_call_of(inner, neg) || is_call_of(inner, alula::abs)))
      return call_of(graph, *function, {inner.inputs[0]});
  return {};
}

/// x + -y is x - y, and x - -y is x + y.
Simpler sum_with_negative(Graph& graph, size_t i) {
  const Node& node = graph.nodes[i];
  const bool adds = is_call_of(node, add);
  if (!adds && !is_call_of(node, sub)) return {};
  const Value a = node.inputs[0], b = node.inputs[1];
  const auto negated = [&](const Value& value) { return is_call_of(maker(graph, value), neg); };
  const auto inside = [&](const Value& value) { return maker(graph, value).inputs[0]; };
  if (negated(b)) return call_of(graph, adds ? sub : add, {a, inside(b)});
  if (adds && negated(a)) return call_of(graph, sub, {b, inside(a)});
  return {};
}

/// A factor ±2^n that a node multiplies or divides a floating point number by, and the number.
struct Scaled {
  Value x;
  double factor = 1;
};

std::optional<Scaled> power_of_two(const Graph& graph, const Node& node) {
  const bool divides = is_call_of(node, alula::div);
  if (!divides && !is_call_of(node, mul)) return {};
  const DType dtype = node.outputs[0].dtype;
  if (!is_floating(dtype) || is_half(dtype)) return {};
  for (const int k : {1, 0}) {
    if (divides && k == 0) continue;
    const auto number = uniform_number(graph, node.inputs[k]);
    int exponent = 0;
    if (!number || std::abs(std::frexp(*number, &exponent)) != 0.5) continue;
    if (graph.spec(node.inputs[1 - k]) != node.outputs[0]) continue;
    const int largest = dtype == float32 ? 126 : 1022;  // its reciprocal is a number, too
    if (std::abs(exponent - 1) > largest) continue;
    return Scaled{node.inputs[1 - k], divides ? 1 / *number : *number};
  }
  return {};
}

Value scaled(Graph& graph, const Value& x, double factor) {
  const DType dtype = graph.spec(x).dtype;
  const Value number = add_constant(graph, fill({}, factor, dtype));
  return call_of(graph, mul, {x, number});
}

/// Scaling by a power of two loses nothing, so that twice is once, unless the first could overflow
/// where both together would not: both must make larger, or both smaller.
Simpler scaled_twice(Graph& graph, size_t i) {
  const auto outer = power_of_two(graph, graph.nodes[i]);
  if (!outer) return {};
  const auto inner = power_of_two(graph, maker(graph, outer->x));
  if (!inner) return {};
  const double a = std::abs(outer->factor), b = std::abs(inner->factor);
  const double limit =
      graph.spec(outer->x).dtype == float32 ? std::ldexp(1, 126) : std::ldexp(1, 1022);
  const bool same_way = (a >= 1 && b >= 1) || (a <= 1 && b <= 1);
  if (!same_way || a * b > limit || a * b < 1 / limit) return {};
  return scaled(graph, inner->x, outer->factor * inner->factor);
}

/// A product is faster than a quotient.
Simpler divided_by_power_of_two(Graph& graph, size_t i) {
  if (!is_call_of(graph.nodes[i], alula::div)) return {};
  const auto found = power_of_two(graph, graph.nodes[i]);
  return found ? Simpler(scaled(graph, found->x, found->factor)) : Simpler();
}

constexpr Rule kRules[] = {what_it_comes_down_to, twice, sum_with_negative, scaled_twice,
                           divided_by_power_of_two};

}  // namespace

std::span<const Rule> arithmetic_rules() { return kRules; }

}  // namespace alula::graph
