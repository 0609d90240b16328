#include "alula/graph/control/branch.h"

#include <array>

#include "alula/graph/control/control_op.h"
#include "alula/graph/control/replay.h"
#include "alula/ops/fill.h"

namespace alula::graph {
namespace {

constexpr const char* kName = "cond";

/// Inputs: the predicate, then what the branches take. Outputs: what they return and what variables
/// become, then what each made anew for the gradient: zeros for the branch that did not run; and at
/// least one, which stands for the call.
class Branch final : public Control {
 public:
  /// Of [true, false].
  using Branches = std::array<std::shared_ptr<const SubGraph>, 2>;

  Branch(Branches branches, std::vector<Spec> results)
      : branches_(std::move(branches)), results_(results.size()), outputs_(std::move(results)) {
    wanted_.push_back({boolean, {}});
    for (const Node& node : branches_[0]->graph().nodes)
      if (node.kind == Node::Kind::kInput) wanted_.push_back(node.outputs[0]);
    for (const auto& branch : branches_)
      for (const Value& value : branch->made()) {
        const Spec& spec = branch->graph().spec(value);
        outputs_.push_back(spec);
        not_made_.push_back(zero_of(spec));
      }
    if (outputs_.empty()) outputs_.push_back({int32, {}});
  }

  const char* name() const override { return kName; }
  bool has_effects() const override {
    return branches_[0]->has_effects() || branches_[1]->has_effects();
  }
  Specs infer(SpecRefs inputs) const override {
    check_inputs(kName, inputs, wanted_);
    return {outputs_.begin(), outputs_.end()};
  }
  Attributes attributes() const override {
    return {{"true_fn", branches_[0]->text()}, {"false_fn", branches_[1]->text()}};
  }
  Tensors run(TensorRefs inputs) const override;
  Gradients gradient(const Recorded& call) const override;

 private:
  static Tensor zero_of(const Spec& spec) {
    return spec.dtype == string ? Tensor::uninitialized(spec) : zeros(spec.shape, spec.dtype);
  }
  /// Where what a branch made begins among the outputs.
  size_t made_at(size_t branch) const {
    return results_ + (branch == 0 ? 0 : branches_[0]->made().size());
  }
  std::vector<Tensor> branch_gradients(size_t branch, const Recorded& call) const;

  Branches branches_;
  size_t results_;
  std::vector<Spec> wanted_, outputs_;
  std::vector<Tensor> not_made_;
};

Tensors Branch::run(TensorRefs inputs) const {
  const size_t taken = inputs[0].item<bool>() ? 0 : 1;
  InlineVector<const Tensor*, 16> rest;
  for (size_t i = 1; i < inputs.size(); ++i) rest.push_back(&inputs[i]);
  Tensors outputs =
      branches_[taken]->run(TensorRefs(std::span<const Tensor* const>(rest.data(), rest.size())));
  if (outputs_.size() == outputs.size()) return outputs;
  Tensors all;
  for (size_t k = 0; k < results_; ++k) all.push_back(std::move(outputs[k]));
  for (const Tensor& none : not_made_) all.push_back(none);
  for (size_t k = results_; k < outputs.size(); ++k)
    all[made_at(taken) + k - results_] = std::move(outputs[k]);
  if (all.empty()) all.push_back(Tensor(0));
  return all;
}

/// The gradients of the branch, for the inputs that are wanted.
std::vector<Tensor> Branch::branch_gradients(size_t branch, const Recorded& call) const {
  const SubGraph& body = *branches_[branch];
  PullBack back{.body = body, .inputs = {}, .made = {}, .dy = {}, .wanted = {}};
  for (size_t i = 1; i < call.inputs(); ++i) {
    back.inputs.push_back(call.input(i));
    back.wanted.push_back(call.wants(i));
  }
  for (size_t k = 0; k < results_; ++k) back.dy.push_back(call.dy(k));
  for (size_t k = 0; k < body.made().size(); ++k) {
    back.made.push_back(call.output(made_at(branch) + k));
    back.dy.push_back(call.dy(made_at(branch) + k));
  }
  std::vector<Tensor> found = gradients(kName, back), results;
  for (size_t i = 0; i < found.size(); ++i)
    if (back.wanted[i])
      results.push_back(found[i].defined() ? found[i] : zeros_like(back.inputs[i]));
  return results;
}

/// Again a branch. What the forward values are is computed anew, in the branch that was taken: only
/// what is between the ops is not kept then, and a branch is seldom large.
Gradients Branch::gradient(const Recorded& call) const {
  const Tensor& predicate = call.input(0);
  const auto of = [&](size_t branch) { return branch_gradients(branch, call); };
  const std::vector<Tensor> found =
      predicate.is_symbolic() ? trace_branch(
                                    predicate, [&] { return of(0); }, [&] { return of(1); })
                              : of(predicate.item<bool>() ? 0 : 1);
  Gradients results{Tensor()};
  size_t next = 0;
  for (size_t i = 1; i < call.inputs(); ++i)
    results.push_back(call.wants(i) ? found[next++] : Tensor());
  return results;
}

/// What a result is whichever branch runs: where the sizes differ, they are unknown.
Spec common_spec(size_t i, const Spec& a, const Spec& b) {
  require(
      a.dtype == b.dtype && a.rank() == b.rank(),
      "{}: result {} is {} of true_fn, but {} of false_fn. Both must return the same dtypes and "
      "numbers of dimensions: use cast() or reshape().",
      kName, i, a, b);
  Spec spec = a;
  for (int axis = 0; axis < a.rank(); ++axis)
    if (a.shape[axis] != b.shape[axis]) spec.shape[axis] = kUnknown;
  return spec;
}

}  // namespace

std::vector<Tensor> trace_branch(const Tensor& predicate, const BranchFunction& then,
                                 const BranchFunction& otherwise) {
  Captured captured;
  const auto trace = [&](const BranchFunction& function) {
    return captured.trace([&](const std::vector<Tensor>&) { return function(); }, {});
  };
  const Graph open[] = {trace(then), trace(otherwise)};
  const size_t count = open[0].outputs.size();
  require(count == open[1].outputs.size(),
          "{}: true_fn returns {} tensors, but false_fn {}. Both must return as many.", kName,
          count, open[1].outputs.size());
  Branch::Branches branches;
  for (size_t k = 0; k < 2; ++k)
    branches[k] = std::make_shared<const SubGraph>(captured.closed(open[k]));
  std::vector<Spec> results;
  for (size_t i = 0; i < branches[0]->results(); ++i)
    results.push_back(common_spec(i, branches[0]->graph().spec(branches[0]->graph().outputs[i]),
                                  branches[1]->graph().spec(branches[1]->graph().outputs[i])));
  const auto branch = std::make_shared<const Branch>(std::move(branches), results);
  if (results.empty() && !branch->has_effects()) return {};
  std::vector<Tensor> inputs{predicate};
  for (Tensor& value : captured.values()) inputs.push_back(std::move(value));
  const Tensors outputs = call_control(branch, inputs);
  for (size_t k = 0; k < captured.assigned().size(); ++k) {
    Variable target = captured.assigned()[k];
    target.assign(outputs[count + k]);
  }
  return {outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace alula::graph
