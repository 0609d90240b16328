#include "alula/testing/batched_harness.h"

#include <algorithm>

#include "alula/ops/batching.h"
#include "alula/ops/concat.h"

namespace alula::testing {
namespace {

constexpr int64_t kCalls = 3;
constexpr int64_t kLargest = 3000;  // elements of an input or output

std::set<std::pair<std::string, DType>>& compared() {
  static std::set<std::pair<std::string, DType>> compared;
  return compared;
}

/// An input of a further call: the elements of the first call's take one another's places.
/// Integers may be positions that are right for their place in a row alone: rows stay together.
Tensor varied(const Tensor& x, int64_t call) {
  if (call == 0 || x.size() == 0) return x;
  Array array = to_array(x);
  const bool rows = is_integer(x.dtype()) && x.rank() > 1;
  const int64_t step = rows ? x.size() / x.shape()[0] : 1, by = call * step % x.size();
  std::rotate(array.values.begin(), array.values.begin() + by, array.values.end());
  if (x.size() == 1 && is_floating(x.dtype()))
    array.values[0] *= 1 - 0.25 * static_cast<double>(call);
  return to_tensor(array, x.dtype());
}

/// Which inputs differ: all, each one, and one's absence where there are more than two.
std::vector<std::vector<bool>> choices(size_t inputs) {
  constexpr size_t kMost = 4;
  std::vector<std::vector<bool>> choices{std::vector<bool>(inputs, true)};
  if (inputs < 2) return choices;
  for (size_t i = 0; i < std::min(inputs, kMost); ++i) {
    choices.emplace_back(inputs, false);
    choices.back()[i] = true;
  }
  if (inputs > 2) {
    choices.emplace_back(inputs, true);
    choices.back()[inputs - 1] = false;
  }
  return choices;
}

/// The results of single calls, one after another.
std::vector<Array> in_turn(const Op& op, const std::vector<std::vector<Tensor>>& calls,
                           std::vector<DType>& dtypes) {
  std::vector<Array> results;
  for (const std::vector<Tensor>& inputs : calls) {
    const Tensors outputs = call_all(op, inputs);
    results.resize(outputs.size());
    dtypes.clear();
    for (size_t k = 0; k < outputs.size(); ++k) {
      const Array values = to_array(outputs[k]);
      results[k].shape = Shape{kCalls} + values.shape;
      results[k].values.insert(results[k].values.end(), values.values.begin(), values.values.end());
      dtypes.push_back(outputs[k].dtype());
    }
  }
  return results;
}

std::vector<BatchedInput> stacked(const std::vector<std::vector<Tensor>>& calls,
                                  const std::vector<bool>& chosen) {
  std::vector<BatchedInput> inputs;
  for (size_t i = 0; i < chosen.size(); ++i) {
    std::vector<Tensor> values;
    for (const std::vector<Tensor>& call : calls) values.push_back(call[i]);
    inputs.push_back({chosen[i] ? stack(values) : calls[0][i], chosen[i]});
  }
  return inputs;
}

void expect_drawn(const Tensors& actual, const std::vector<Array>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t k = 0; k < actual.size(); ++k) {
    ASSERT_EQ(to_string(actual[k].shape()), to_string(expected[k].shape));
    const Array values = to_array(actual[k]);
    const int64_t each = values.size() / kCalls;
    if (each < 40) continue;  // they may be the same by chance
    const auto first = values.values.begin(), second = first + each;
    const bool constant = std::equal(first + 1, second, first);
    EXPECT_TRUE(constant || !std::equal(first, second, second)) << "calls draw the same numbers";
  }
}

/// Whether the op takes these inputs; if so, its rule is compared.
bool compare(const Op& op, const std::vector<Tensor>& inputs, const std::vector<bool>& chosen,
             bool vary, Tolerance tolerance) {
  std::vector<std::vector<Tensor>> calls(kCalls, inputs);
  for (int64_t call = 0; call < kCalls; ++call)
    for (size_t i = 0; i < inputs.size(); ++i)
      if (chosen[i] && vary) calls[call][i] = varied(inputs[i], call);
  std::vector<Array> expected;
  std::vector<DType> dtypes;
  try {
    expected = in_turn(op, calls, dtypes);
  } catch (const InvalidArgumentError&) {
    return false;
  }
  const Tensors actual = op.batched(stacked(calls, chosen), kCalls);
  if (op.type().random) {
    expect_drawn(actual, expected);
    return true;
  }
  EXPECT_EQ(actual.size(), expected.size());
  for (size_t k = 0; k < std::min(actual.size(), expected.size()); ++k) {
    // Both are near the reference, and so near each other.
    Tolerance wider = tolerance;
    wider.relative = 4 * (wider.relative != 0 ? wider.relative : tolerance_of(dtypes[k]));
    expect_equal(actual[k], expected[k], dtypes[k], wider);
  }
  return true;
}

bool is_large(const Spec& spec) { return spec.rank() == kMaxRank || spec.shape.size() > kLargest; }

}  // namespace

const std::set<std::pair<std::string, DType>>& batched_ops() { return compared(); }

void check_batched(const Op& op, const std::vector<Tensor>& inputs, Tolerance tolerance) {
  std::vector<const Spec*> specs;
  for (const Tensor& input : inputs) specs.push_back(&input.spec());
  const Specs outputs = op.infer(SpecRefs(specs));
  for (const Spec* spec : specs)
    if (is_large(*spec)) return;
  for (const Spec& spec : outputs)
    if (is_large(spec)) return;

  bool failed = false;
  for (const std::vector<bool>& chosen : choices(inputs.size())) {
    std::string which;
    for (size_t i = 0; i < chosen.size(); ++i)
      if (chosen[i]) which += fmt::format(" {}", i);
    SCOPED_TRACE("many calls at once, of which differ the inputs" + which);
    try {
      for (bool vary : {true, false})
        if (compare(op, inputs, chosen, vary, tolerance)) break;
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
      failed = true;
    }
  }
  if (failed) return;
  if (inputs.empty() && !outputs.empty()) compared().emplace(op.name(), outputs[0].dtype);
  for (const Tensor& input : inputs) compared().emplace(op.name(), input.dtype());
}

}  // namespace alula::testing
