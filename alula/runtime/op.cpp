#include "alula/runtime/op.h"

#include <string_view>

namespace alula {
namespace {

constinit OpType* g_types = nullptr;  // filled while the library loads

}  // namespace

std::string to_string(const SpecRefs& specs) {
  std::string text;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (i > 0) text += ", ";
    text += to_string(specs[i]);
  }
  return text;
}

const OpType* all_op_types() { return g_types; }

void internal::add_op_type(OpType& type) {
  type.next = g_types;
  g_types = &type;
}

Cost Op::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost;
  for (size_t i = 0; i < inputs.size(); ++i) cost.bytes += static_cast<double>(inputs[i].bytes());
  for (const Spec& output : outputs) {
    cost.bytes += static_cast<double>(output.bytes());
    cost.flops += static_cast<double>(output.shape.size());
  }
  return cost;
}

Gradients Op::gradient(const Recorded&) const {
  fail<UnimplementedError>(
      "{}: its gradient is not known. Use stop_gradient() on what it gives, or "
      "custom_gradient().",
      name());
}

Needs Op::needs(IndexSet) const { return {}; }

Tensors Op::batched(std::span<const BatchedInput>, int64_t) const {
  fail<UnimplementedError>("{}: it cannot be computed for many elements at once.", name());
}

bool same(const Op& a, const Op& b) {
  return &a.type() == &b.type() && !a.type().random && !a.type().effects &&
         std::string_view(a.name()) == std::string_view(b.name()) &&
         a.attributes() == b.attributes();
}

std::string to_string(const Attributes& attributes) {
  std::string text;
  for (const Attribute& attribute : attributes)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", attribute.name, attribute.value);
  return text;
}

Tensors Op::run_on_host(TensorRefs) const {
  fail<InternalError>("{}: it is not computed by host code.", name());
}

std::unique_ptr<Op> Op::drawn_again(SpecRefs) const { return nullptr; }

}  // namespace alula
