#include "alula/graph/passes.h"

#include <algorithm>
#include <cstdlib>

#include "alula/graph/edit.h"

namespace alula::graph {
namespace {

constexpr const char* kDeadCode = "dead_code";

constexpr Pass kPasses[] = {
    {kDeadCode, remove_dead},
    {"fold_constants", fold_constants},
    {"layout", layout},
    {"simplify", simplify},
    {"simplify_softmax", simplify_softmax},
    {"common_subexpressions", common_subexpressions},
    {"pool_first", pool_first},
    {"fuse_conv2d", fuse_conv2d},
    {"fuse_elementwise", fuse_elementwise},
    {"fuse_conv2d_gradient", fuse_conv2d_gradient},
    {"fuse_matmul", fuse_matmul},
    {"fuse_reduce", fuse_reduce},
    {"fuse_gather", fuse_gather},
};

/// The names in ALULA_WITHOUT_PASSES, read once.
const std::vector<std::string>& left_out_everywhere() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    const char* text = std::getenv("ALULA_WITHOUT_PASSES");
    for (std::string_view rest = text == nullptr ? "" : text; !rest.empty();) {
      const size_t comma = std::min(rest.find(','), rest.size());
      list.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return list;
  }();
  return names;
}

bool names(const std::vector<std::string>& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& item) { return item == name || item == "all"; });
}

void check(const PassOptions& options) {
  const std::vector<std::string> known = pass_names();
  for (const std::vector<std::string>& list : {options.without, left_out_everywhere()})
    for (const std::string& name : list)
      require<NotFoundError>(name == "all" || names(known, name),
                             "function: there is no pass '{}'. There are {}.", name,
                             fmt::join(known, ", "));
}

}  // namespace

std::span<const Pass> passes() { return kPasses; }

std::vector<std::string> pass_names() {
  std::vector<std::string> result;
  for (const Pass& pass : passes()) result.emplace_back(pass.name);
  result.insert(result.end(), {"in_place", "plan_memory"});
  return result;
}

bool PassOptions::has(const char* name) const {
  return !names(without, name) && !names(left_out_everywhere(), name);
}

void optimize(Graph& graph, const PassOptions& options) {
  check(options);
  for (const Pass& pass : passes()) {
    if (!options.has(pass.name)) continue;
    pass.run(graph);
    sort(graph);
    if (options.has(kDeadCode)) remove_dead(graph);
  }
}

}  // namespace alula::graph
