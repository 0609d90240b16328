#include "alula/graph/compat/walk.h"

namespace alula::compat::v1::internal {
namespace {

/// Depth first, with a stack of its own: graphs are deeper than a thread's stack.
class Walker {
 public:
  explicit Walker(const std::unordered_set<uint64_t>& known) : known_(known) {}

  void follow(const Tensor& tensor) {
    meet(tensor);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.next < step.call->inputs().size()) {
        meet(step.call->inputs()[step.next++]);
        continue;
      }
      walk_.calls.push_back(step.call);
      path_.pop_back();
    }
  }
  Walk take() { return std::move(walk_); }

 private:
  struct Step {
    std::shared_ptr<const Call> call;
    size_t next = 0;
  };

  void meet(const Tensor& tensor) {
    if (!tensor.defined() || !tensor.is_symbolic() || known_.contains(tensor.id())) return;
    const Symbol* symbol = tensor.note<Symbol>();
    if (symbol == nullptr || symbol->call == nullptr) {
      if (leaves_.insert(tensor.id()).second) walk_.leaves.push_back(tensor);
      return;
    }
    const auto [place, fresh] = walk_.outputs.try_emplace(symbol->call.get());
    const auto index = static_cast<size_t>(symbol->index);
    if (place->second.size() <= index) place->second.resize(index + 1);
    place->second[index] = tensor;
    if (fresh) path_.push_back({symbol->call, 0});
  }

  const std::unordered_set<uint64_t>& known_;
  std::unordered_set<uint64_t> leaves_;
  std::vector<Step> path_;
  Walk walk_;
};

}  // namespace

Walk walk_back(std::span<const Tensor> from, const std::unordered_set<uint64_t>& known) {
  Walker walker(known);
  for (const Tensor& tensor : from) walker.follow(tensor);
  return walker.take();
}

}  // namespace alula::compat::v1::internal
