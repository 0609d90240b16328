#include "alula/graph/control/loop.h"

#include "alula/graph/control/loop_control.h"
#include "alula/graph/control/replay.h"

namespace alula::graph {
namespace {

std::vector<Spec> specs_of(std::span<const Tensor> tensors) {
  std::vector<Spec> specs;
  for (const Tensor& tensor : tensors) specs.push_back(tensor.spec());
  return specs;
}

std::vector<Spec> specs_of(const Graph& graph, std::span<const Value> values) {
  std::vector<Spec> specs;
  for (const Value& value : values) specs.push_back(graph.spec(value));
  return specs;
}

/// Traces the functions of a loop, and puts it together.
class Maker {
 public:
  explicit Maker(const LoopRequest& request) : request_(request) {
    parts_.name = request.name;
    parts_.maximum_iterations = request.maximum_iterations;
    parts_.reverse = request.reverse;
    parts_.carried = request.carried_specs.empty() ? specs_of(std::span(request.carried))
                                                   : request.carried_specs;
    for (const LoopSource& source : request.sources) {
      parts_.sources.push_back({source.elements, source.listed});
      if (!source.listed) parts_.length = source.value.shape()[0];
    }
    own_ = parts_.carried.size();
  }

  LoopResult run() {
    const Graph condition = traced_condition();
    const Graph step = traced_step(condition);
    close(condition, step);
    return call();
  }

 private:
  bool has_condition() const { return request_.condition != nullptr; }

  Graph traced_condition() {
    if (!has_condition()) return {};
    const TracedFunction of_carried = [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{request_.condition(in)};
    };
    Graph graph = captured_.trace(of_carried, parts_.carried);
    const Spec& spec = graph.spec(graph.outputs[0]);
    require(spec.dtype == boolean && spec.rank() == 0,
            "{}: the condition must return a scalar bool. Got {}.", request_.name, spec);
    for (const auto& [variable, value] : graph.updates)
      fail<UnimplementedError>(
          "{}: the condition assigns to the variable '{}'. Let the body do that.", request_.name,
          variable.name());
    return graph;
  }

  /// The condition for the next step is part of a step: it is compiled together with it.
  Graph traced_step(const Graph& condition) {
    std::vector<Spec> specs;
    for (const LoopSource& source : request_.sources)
      specs.insert(specs.end(), source.elements.begin(), source.elements.end());
    specs.insert(specs.end(), parts_.carried.begin(), parts_.carried.end());
    const TracedFunction step = [&](const std::vector<Tensor>& in) {
      std::vector<Tensor> results = request_.step(in);
      check_carried(results);
      if (has_condition())
        results.push_back(replay(condition, std::span<const Tensor>(results).first(own_))[0]);
      return results;
    };
    return captured_.trace(step, specs);
  }

  void check_carried(const std::vector<Tensor>& results) const {
    require(has_condition() ? results.size() == own_ : results.size() >= own_,
            "{}: the {} returns {} tensors. There must be {}, one a {}.", request_.name,
            request_.function, results.size(), own_, request_.variable);
    for (size_t i = 0; i < own_; ++i) {
      require(results[i].defined(), "{}: {} {}, as the {} returns it, is not defined.",
              request_.name, request_.variable, i, request_.function);
      require(fits(parts_.carried[i], results[i].spec()),
              "{}: {} {} is {}, but the {} returns {} for it. Its dtype and shape must stay the "
              "same{}.",
              request_.name, request_.variable, i, parts_.carried[i], request_.function,
              results[i].spec(),
              has_condition() ? "; give shape_invariants if its size changes" : "");
    }
  }

  /// (carried…, products…, [condition], assigned…) becomes (carried…, assigned…, products…,
  /// [condition]).
  void close(const Graph& condition, const Graph& step) {
    Graph graph = captured_.closed(step);
    const auto own = graph.outputs.begin() + static_cast<std::ptrdiff_t>(own_);
    const auto assigned = graph.outputs.end() - static_cast<std::ptrdiff_t>(assigned_count());
    note_products(graph, {own, assigned});
    std::rotate(own, assigned, graph.outputs.end());
    parts_.step = std::make_shared<const SubGraph>(std::move(graph));
    require<UnimplementedError>(
        !parts_.step->asks_host(),
        "{}: the {} takes a step of an optimizer, whose numbers are asked for once a run. Take it "
        "outside of the loop, or run the loop outside of a compiled function.",
        request_.name, request_.function);
    for (const Variable& variable : captured_.assigned()) parts_.carried.push_back(variable.spec());
    if (!has_condition()) return;
    Graph first = captured_.closed(condition);
    first.outputs.resize(1);
    parts_.condition = std::make_shared<const SubGraph>(std::move(first));
  }

  size_t assigned_count() const { return captured_.assigned().size(); }

  void note_products(const Graph& graph, std::span<const Value> made) {
    if (has_condition()) made = made.first(made.size() - 1);
    size_t stacked = made.size();
    for (size_t size : request_.lists) stacked -= size;
    for (size_t i = 0; i < stacked; ++i)
      parts_.products.push_back({specs_of(graph, made.subspan(i, 1)), false});
    for (size_t size : request_.lists) {
      parts_.products.push_back({specs_of(graph, made.subspan(stacked, size)), true});
      stacked += size;
    }
  }

  LoopResult call() {
    std::vector<Tensor> inputs;
    for (const LoopSource& source : request_.sources) inputs.push_back(source.value);
    inputs.insert(inputs.end(), request_.carried.begin(), request_.carried.end());
    const std::vector<Tensor> captured = captured_.values();
    inputs.insert(inputs.end(), captured.begin(), captured.end());
    parts_.captured = specs_of(std::span(captured).subspan(assigned_count()));
    const Tensors outputs = call_control(std::make_shared<const Loop>(parts_), inputs);
    LoopResult result;
    size_t next = 0;
    for (; next < own_; ++next) result.carried.push_back(outputs[next]);
    for (Variable target : captured_.assigned()) target.assign(outputs[next++]);
    for (const LoopStream& product : parts_.products)
      (product.listed ? result.lists : result.products).push_back(outputs[next++]);
    return result;
  }

  const LoopRequest& request_;
  Captured captured_;
  LoopParts parts_;
  size_t own_;  // carried that are not variables
};

}  // namespace

LoopSource LoopSource::of_rows(const Tensor& tensor) {
  return {.value = tensor,
          .elements = {tensor.spec().with(tensor.shape().slice(1, tensor.rank()))}};
}

LoopResult make_loop(const LoopRequest& request) { return Maker(request).run(); }

size_t LoopParts::source_elements() const {
  size_t count = 0;
  for (const LoopStream& source : sources) count += source.elements.size();
  return count;
}

size_t LoopParts::product_elements() const {
  size_t count = 0;
  for (const LoopStream& product : products) count += product.elements.size();
  return count;
}

Specs Loop::infer(SpecRefs inputs) const {
  std::vector<Spec> wanted;
  const auto of = [&](const LoopStream& stream) {
    return stream.listed ? History::kSpec
                         : stream.elements[0].with(Shape{parts_.length} + stream.elements[0].shape);
  };
  for (const LoopStream& source : parts_.sources) wanted.push_back(of(source));
  wanted.insert(wanted.end(), parts_.carried.begin(), parts_.carried.end());
  wanted.insert(wanted.end(), parts_.captured.begin(), parts_.captured.end());
  check_inputs(name(), inputs, wanted);
  Specs outputs(parts_.carried.begin(), parts_.carried.end());
  for (const LoopStream& product : parts_.products) outputs.push_back(of(product));
  outputs.push_back(History::kSpec);
  return outputs;
}

Attributes Loop::attributes() const {
  Attributes attributes;
  if (parts_.condition != nullptr) attributes.emplace_back("cond", parts_.condition->text());
  attributes.emplace_back("body", parts_.step->text());
  if (parts_.maximum_iterations >= 0)
    attributes.emplace_back("maximum_iterations", parts_.maximum_iterations);
  if (parts_.reverse) attributes.emplace_back("reverse", true);
  if (!parts_.keeps_history) attributes.emplace_back("keeps_history", false);
  return attributes;
}

std::shared_ptr<const Control> Loop::without_history() const {
  if (!parts_.keeps_history) return nullptr;
  LoopParts parts = parts_;
  parts.keeps_history = false;
  return std::make_shared<const Loop>(std::move(parts));
}

}  // namespace alula::graph
