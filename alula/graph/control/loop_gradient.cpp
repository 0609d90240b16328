#include "alula/graph/control/loop_control.h"
#include "alula/graph/control/replay.h"
#include "alula/ops/add.h"
#include "alula/ops/fill.h"

namespace alula::graph {
namespace {

std::vector<Spec> floating_of(std::span<const Spec> specs) {
  std::vector<Spec> floating;
  for (const Spec& spec : specs)
    if (is_floating(spec.dtype)) floating.push_back(spec);
  return floating;
}

/// Takes tensors from a list, one after another.
class Taker {
 public:
  explicit Taker(const std::vector<Tensor>& from) : from_(from) {}
  Tensor next() { return from_[next_++]; }
  std::vector<Tensor> next(size_t count) {
    std::vector<Tensor> taken(from_.begin() + static_cast<std::ptrdiff_t>(next_),
                              from_.begin() + static_cast<std::ptrdiff_t>(next_ + count));
    next_ += count;
    return taken;
  }

 private:
  const std::vector<Tensor>& from_;
  size_t next_ = 0;
};

/// The gradient of a loop is a loop in the other direction. A step reads the elements that the
/// step forward had, what was carried into it and what it made anew, and the gradients of its
/// products; it carries the gradients of what was carried, and the sums of those of what was
/// captured.
class LoopGradient {
 public:
  LoopGradient(const LoopParts& parts, const Recorded& call)
      : parts_(parts), call_(call), made_(specs_of_made()) {}

  Gradients run() {
    LoopRequest request{.name = parts_.name, .function = "gradient", .variable = "gradient"};
    add_sources(request);
    for (size_t i = 0; i < parts_.carried.size(); ++i)
      if (is_floating(parts_.carried[i].dtype)) request.carried.push_back(call_.dy(i));
    for (size_t i = 0; i < parts_.captured.size(); ++i)
      if (call_.wants(captured_at() + i))
        request.carried.push_back(zero_like(call_.input(captured_at() + i)));
    for (size_t i = 0; i < parts_.sources.size(); ++i)
      if (call_.wants(i) && parts_.sources[i].listed)
        request.lists.push_back(floating_of(parts_.sources[i].elements).size());
    request.step = [this](const std::vector<Tensor>& in) { return step(in); };
    request.reverse = !parts_.reverse;
    return in_order(make_loop(request));
  }

 private:
  size_t carried_at() const { return parts_.sources.size(); }
  size_t captured_at() const { return carried_at() + parts_.carried.size(); }
  size_t history_at() const { return parts_.carried.size() + parts_.products.size(); }

  std::vector<Spec> specs_of_made() const {
    std::vector<Spec> specs;
    for (const Value& value : parts_.step->made())
      specs.push_back(parts_.step->graph().spec(value));
    return specs;
  }

  /// What a step kept: what was carried into it, and what it made anew.
  std::vector<Spec> kept_specs() const {
    std::vector<Spec> specs = parts_.carried;
    specs.insert(specs.end(), made_.begin(), made_.end());
    return specs;
  }

  static Tensor zero_like(const Tensor& tensor) {
    return tensor.shape().is_known() ? zeros(tensor.shape(), tensor.dtype()) : zeros_like(tensor);
  }

  /// Whether the gradient of product k is known to be zero, or there is none.
  bool is_unused(size_t k) const {
    const LoopStream& product = parts_.products[k];
    const Tensor& dy = call_.dy(parts_.carried.size() + k);
    if (product.listed) return !dy.defined() || is_without_history(dy);
    return !is_floating(product.elements[0].dtype);
  }
  /// Likewise of what was kept: only a gradient of a gradient has one.
  bool is_history_unused() const { return is_without_history(call_.dy(history_at())); }

  void add_sources(LoopRequest& request) const {
    for (size_t i = 0; i < parts_.sources.size(); ++i)
      request.sources.push_back({.value = call_.input(i),
                                 .elements = parts_.sources[i].elements,
                                 .listed = parts_.sources[i].listed});
    request.sources.push_back(
        {.value = call_.output(history_at()), .elements = kept_specs(), .listed = true});
    for (size_t k = 0; k < parts_.products.size(); ++k)
      if (!is_unused(k))
        request.sources.push_back({.value = call_.dy(parts_.carried.size() + k),
                                   .elements = floating_of(parts_.products[k].elements),
                                   .listed = parts_.products[k].listed});
    if (!is_history_unused())
      request.sources.push_back(
          {.value = call_.dy(history_at()), .elements = floating_of(kept_specs()), .listed = true});
  }

  /// Takes the gradients of values of these specs: undefined for those that have none.
  static std::vector<Tensor> spread(std::span<const Spec> specs, bool unused, Taker& taker) {
    std::vector<Tensor> dy(specs.size());
    for (size_t i = 0; i < specs.size(); ++i)
      if (!unused && is_floating(specs[i].dtype)) dy[i] = taker.next();
    return dy;
  }

  std::vector<Tensor> step(const std::vector<Tensor>& in) const {
    Taker taker(in);
    PullBack back{.body = *parts_.step, .inputs = {}, .made = {}, .dy = {}, .wanted = {}};
    back.inputs = taker.next(parts_.source_elements());
    for (const Tensor& carried : taker.next(parts_.carried.size())) back.inputs.push_back(carried);
    back.made = taker.next(made_.size());
    for (size_t i = captured_at(); i < call_.inputs(); ++i) back.inputs.push_back(call_.input(i));
    std::vector<Tensor> products;
    for (size_t k = 0; k < parts_.products.size(); ++k)
      for (const Tensor& dy : spread(parts_.products[k].elements, is_unused(k), taker))
        products.push_back(dy);
    const std::vector<Tensor> kept = spread(kept_specs(), is_history_unused(), taker);
    back.dy = spread(parts_.carried, false, taker);
    back.dy.insert(back.dy.end(), products.begin(), products.end());
    if (parts_.condition != nullptr) back.dy.emplace_back();
    back.dy.insert(back.dy.end(), kept.begin() + static_cast<std::ptrdiff_t>(parts_.carried.size()),
                   kept.end());
    want(back);
    return results_of(back, kept, taker);
  }

  void want(PullBack& back) const {
    for (size_t i = 0; i < parts_.sources.size(); ++i)
      for (const Spec& element : parts_.sources[i].elements)
        back.wanted.push_back(call_.wants(i) && is_floating(element.dtype));
    for (const Spec& spec : parts_.carried) back.wanted.push_back(is_floating(spec.dtype));
    for (size_t i = captured_at(); i < call_.inputs(); ++i) back.wanted.push_back(call_.wants(i));
  }

  /// (carried, sums of captured, those of the sources' elements): first of tensors, then of lists.
  std::vector<Tensor> results_of(const PullBack& back, const std::vector<Tensor>& kept,
                                 Taker& sums) const {
    const std::vector<Tensor> found = gradients(parts_.name, back);
    std::vector<Tensor> results;
    const size_t elements = parts_.source_elements(), carried = parts_.carried.size();
    const auto found_or_zero = [&](size_t i) {
      return found[i].defined() ? found[i] : zero_like(back.inputs[i]);
    };
    for (size_t i = 0; i < carried; ++i) {
      if (!is_floating(parts_.carried[i].dtype)) continue;
      const Tensor gradient = found_or_zero(elements + i);
      results.push_back(kept[i].defined() ? add(gradient, kept[i]) : gradient);
    }
    for (size_t i = elements + carried; i < back.inputs.size(); ++i) {
      if (!back.wanted[i]) continue;
      const Tensor sum = sums.next();
      results.push_back(found[i].defined() ? add(sum, found[i]) : sum);
    }
    for (bool listed : {false, true}) {
      size_t next = 0;
      for (const LoopStream& source : parts_.sources)
        for (size_t k = 0; k < source.elements.size(); ++k, ++next)
          if (source.listed == listed && back.wanted[next]) results.push_back(found_or_zero(next));
    }
    return results;
  }

  /// One a input.
  Gradients in_order(const LoopResult& result) const {
    Taker carried(result.carried), stacked(result.products), lists(result.lists);
    Gradients gradients;
    for (size_t i = 0; i < parts_.sources.size(); ++i)
      gradients.push_back(!call_.wants(i)            ? Tensor()
                          : parts_.sources[i].listed ? lists.next()
                                                     : stacked.next());
    for (size_t i = 0; i < parts_.carried.size(); ++i) {
      const Tensor gradient = is_floating(parts_.carried[i].dtype) ? carried.next() : Tensor();
      gradients.push_back(call_.wants(carried_at() + i) ? gradient : Tensor());
    }
    for (size_t i = captured_at(); i < call_.inputs(); ++i)
      gradients.push_back(call_.wants(i) ? carried.next() : Tensor());
    return gradients;
  }

  const LoopParts& parts_;
  const Recorded& call_;
  std::vector<Spec> made_;
};

}  // namespace

Gradients Loop::gradient(const Recorded& call) const { return LoopGradient(parts_, call).run(); }

}  // namespace alula::graph
