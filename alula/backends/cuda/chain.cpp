#include "alula/backends/cuda/chain.h"

#include <algorithm>
#include <cstring>

#include "alula/core/log.h"

namespace alula::cuda {
namespace {

constexpr size_t kMostLinks = 24;
constexpr size_t kMostBytes = 3584;  // of arguments: every GPU takes 4096
constexpr size_t kStep = 16;         // from one argument to the next

thread_local Chain* t_chain = nullptr;

size_t aligned(size_t bytes) { return (bytes + kStep - 1) / kStep * kStep; }

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
  if (!one || kernel.sizes.empty()) return false;
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
KernelSource Chain::source() const {
  std::vector<std::string_view> files;
  for (const Link& link : links_) add_names(files, link.kernel->source.files);
  files.push_back("chain");
  std::string own, calls;
  size_t at = 0;
  for (size_t i = 0; i < links_.size(); ++i) {
    const KernelSource& source = links_[i].kernel->source;
    own += fmt::format(
        "namespace link{0} {{\n{1}\nDEVICE void run(const unsigned char* at) {{ "
        "Link<&{2}>::run(at); }}\n}}\n",
        i, source.own, source.function);
    calls += fmt::format("{}  link{}::run(arguments.at + {});\n",
                         i == 0 ? "" : "  __syncthreads();\n", i, at);
    at += links_[i].arguments.size();
  }
  const auto& threads = links_[0].grid.threads;
  own += fmt::format(
      "__global__ void __launch_bounds__({}) chain(CHAIN_ARGUMENTS ChainArguments<{}> arguments) "
      "{{\n{}}}\n",
      threads[0] * threads[1] * threads[2], at, calls);
  return {.files = fmt::format("{}", fmt::join(files, " ")),
          .function = "chain",
          .own = std::move(own),
          .chained = true};
}

void Chain::put_one_by_one(void* queue) {
  for (Link& link : links_) {
    std::vector<void*> pointers;
    size_t at = 0;
    for (const unsigned size : link.kernel->sizes) {
      pointers.push_back(link.arguments.data() + at);
      at += aligned(size);
    }
    card_.put_kernel(*link.kernel, link.grid, pointers.data(), queue);
  }
}

void Chain::finish(void* queue) {
  if (links_.empty()) return;
  const Kernel* chained = nullptr;
  if (links_.size() > 1) {
    try {
      chained = card_.find(source());
    } catch (const Error& error) {  // together they may need more shared memory than there is
      logging::info("GPU: {} kernels do not become one: {}", links_.size(), error.what());
    }
  }
  if (chained == nullptr) {
    put_one_by_one(queue);
  } else {
    std::vector<std::byte> arguments;
    for (const Link& link : links_)
      arguments.insert(arguments.end(), link.arguments.begin(), link.arguments.end());
    void* pointer = arguments.data();
    card_.put_kernel(*chained, links_[0].grid, &pointer, queue);
  }
  links_.clear();
}

}  // namespace alula::cuda
