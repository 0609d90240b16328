#include "alula/backends/cuda/chain.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "alula/core/log.h"

namespace alula::cuda {
namespace {

constexpr size_t kMostLinks = 24;
constexpr size_t kMostBytes = 3584;  // of arguments: every GPU takes 4096
constexpr size_t kStep = 16;         // from one argument to the next

thread_local Chain* t_chain = nullptr;

size_t aligned(size_t bytes) { return (bytes + kStep - 1) / kStep * kStep; }

/// Chains that did not compile: nobody tries them again.
std::mutex g_mutex;
std::set<std::string> g_failed;

bool is_known_to_fail(const std::string& source) {
  const std::lock_guard lock(g_mutex);
  return g_failed.contains(source);
}
void note_failure(std::string source) {
  const std::lock_guard lock(g_mutex);
  g_failed.insert(std::move(source));
}

/// Adds the names in `more` that are not among `names` yet.
void add_names(std::vector<std::string_view>& names, std::string_view more) {
  while (!more.empty()) {
    const size_t end = std::min(more.find(' '), more.size());
    const std::string_view name = more.substr(0, end);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    more.remove_prefix(std::min(end + 1, more.size()));
  }
}

}  // namespace

Chain::Chain(Card& card) : card_(card), outer_(t_chain) { t_chain = this; }
Chain::~Chain() { t_chain = outer_; }

Chain* Chain::current(const Card& card) {
  return t_chain != nullptr && &t_chain->card_ == &card ? t_chain : nullptr;
}

bool Chain::add(const Kernel& kernel, const Grid& grid, void** arguments, void* queue) {
  const bool one = grid.blocks == std::array<unsigned, 3>{1, 1, 1} && grid.shared_bytes == 0;
  if (!one || !grid.chains || kernel.sizes.empty()) return false;
  Link link{&kernel, grid, {}};
  for (size_t i = 0; i < kernel.sizes.size(); ++i) {
    const size_t at = link.arguments.size();
    link.arguments.resize(at + aligned(kernel.sizes[i]));
    std::memcpy(link.arguments.data() + at, arguments[i], kernel.sizes[i]);
  }
  size_t bytes = link.arguments.size();
  for (const Link& other : links_) bytes += other.arguments.size();
  if (!links_.empty() &&
      (bytes > kMostBytes || links_.size() == kMostLinks || links_[0].grid.threads != grid.threads))
    finish(queue);
  links_.push_back(std::move(link));
  return true;
}

/// Each link's own source is in a namespace of its own, since names repeat; it finds what the files
/// define outside of it.
KernelSource Chain::source_of(std::span<const Link> links) {
  std::vector<std::string_view> files;
  for (const Link& link : links) add_names(files, link.kernel->source.files);
  files.emplace_back("chain");
  std::string own, calls;
  size_t at = 0;
  for (size_t i = 0; i < links.size(); ++i) {
    const KernelSource& source = links[i].kernel->source;
    own += fmt::format(
        "namespace link{0} {{\n{1}\nDEVICE void run(const unsigned char* at) {{ "
        "Link<&{2}>::run(at); }}\n}}\n",
        i, source.own, source.function);
    calls += fmt::format("{}  link{}::run(arguments.at + {});\n",
                         i == 0 ? "" : "  __syncthreads();\n", i, at);
    at += links[i].arguments.size();
  }
  const auto& threads = links[0].grid.threads;
  own += fmt::format(
      "__global__ void __launch_bounds__({}) chain(CHAIN_ARGUMENTS ChainArguments<{}> arguments) "
      "{{\n{}}}\n",
      threads[0] * threads[1] * threads[2], at, calls);
  return {.files = fmt::format("{}", fmt::join(files, " ")),
          .function = "chain",
          .own = std::move(own),
          .chained = true};
}

void Chain::put(Link& link, void* queue) {
  std::vector<void*> pointers;
  size_t at = 0;
  for (const unsigned size : link.kernel->sizes) {
    pointers.push_back(link.arguments.data() + at);
    at += aligned(size);
  }
  card_.put_kernel(*link.kernel, link.grid, pointers.data(), queue);
}

/// As one kernel, if they become one: together they may need more of something than there is. Then
/// as two.
void Chain::put(std::span<Link> links, void* queue) {
  if (links.size() == 1) return put(links[0], queue);
  const Kernel* chained = nullptr;
  KernelSource source = source_of(links);
  if (!is_known_to_fail(source.own)) {
    try {
      chained = card_.find(source);
    } catch (const Error& error) {
      logging::info("GPU: {} kernels do not become one: {}", links.size(), error.what());
      note_failure(std::move(source.own));
    }
  }
  if (chained == nullptr) {
    put(links.first(links.size() / 2), queue);
    put(links.subspan(links.size() / 2), queue);
    return;
  }
  std::vector<std::byte> arguments;
  for (const Link& link : links)
    arguments.insert(arguments.end(), link.arguments.begin(), link.arguments.end());
  void* pointer = arguments.data();
  card_.put_kernel(*chained, links[0].grid, &pointer, queue);
}

void Chain::finish(void* queue) {
  if (!links_.empty()) put(links_, queue);
  links_.clear();
}

}  // namespace alula::cuda
