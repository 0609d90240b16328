#include "alula/backends/cuda/chain.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "alula/core/log.h"

namespace alula::cuda {
namespace {

constexpr size_t kMostLinks = 32;
constexpr size_t kStep = 16;  // from one argument to the next
constexpr unsigned kThreads = 256;
constexpr size_t kOwnRoom = 16 << 10;  // shared memory that links declare without SHARED

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

/// Where a list is the same steps again and again, its chains are cut at their ends, too: so they
/// are the same kernels each time.
size_t section_of(std::span<const Step> steps) {
  const auto repeats = [&](size_t period) {
    for (size_t i = period; i < steps.size(); ++i)
      if (steps[i].op != steps[i - period].op) return false;
    return true;
  };
  size_t period = 1;
  while (period < steps.size() && (steps.size() % period != 0 || !repeats(period))) ++period;
  return std::max<size_t>(1, kMostLinks / period) * period;
}

}  // namespace

std::vector<Chaining> ways_of_chaining() {
  const char* text = std::getenv("ALULA_CHAINS");
  const std::string_view word = text == nullptr ? "" : text;
  if (word == "always") return {Chaining::kChained};
  if (word == "never") return {Chaining::kApart};
  return {Chaining::kChained, Chaining::kApart};
}

Chain::Chain(Card& card, std::span<const Step> steps)
    : card_(card), outer_(t_chain), section_(section_of(steps)) {
  t_chain = this;
}
Chain::~Chain() { t_chain = outer_; }

Chain* Chain::current(const Card& card) {
  return t_chain != nullptr && &t_chain->card_ == &card ? t_chain : nullptr;
}

void Chain::next_step(std::span<const View> reads, std::span<const View> writes, void* queue) {
  if (begun_++ % section_ == 0) finish(queue);
  const auto ranges = [](std::span<const View> views) {
    std::vector<Range> all;
    for (const View& view : views)
      all.push_back({view.as<std::byte>(), view.as<std::byte>() + view.bytes()});
    return all;
  };
  steps_.push_back({ranges(reads), ranges(writes)});
}

void Chain::writes(const void* block, size_t bytes) {
  if (steps_.empty()) return;
  const auto* begin = static_cast<const std::byte*>(block);
  steps_.back().writes.push_back({begin, begin + bytes});
}

bool Chain::depends(const Memory& later, const Memory& earlier) {
  const auto meet = [](const std::vector<Range>& a, const std::vector<Range>& b) {
    for (const Range& x : a)
      for (const Range& y : b)
        if (x.begin < y.end && y.begin < x.end) return true;
    return false;
  };
  return meet(later.reads, earlier.writes) || meet(later.writes, earlier.writes) ||
         meet(later.writes, earlier.reads);
}

/// The blocks of a level: two for a multiprocessor, at once if the chain leaves room for it.
unsigned Chain::most_blocks() const { return 2 * static_cast<unsigned>(card_.multiprocessors()); }

/// The first level after all those that the current step depends on, with room for so many blocks.
int Chain::next_level(unsigned blocks) const {
  const size_t step = steps_.size() - 1;
  int level = 0;
  for (const Link& link : links_)
    if (link.level >= level && (link.step == step || depends(steps_[step], steps_[link.step])))
      level = link.level + 1;
  const auto taken = [&](int at) {
    unsigned sum = 0;
    for (const Link& link : links_) sum += link.level == at ? link.blocks() : 0;
    return sum;
  };
  while (taken(level) + blocks > most_blocks()) ++level;
  return level;
}

bool Chain::add(const Kernel& kernel, const Grid& grid, void** arguments, void* queue) {
  const bool fits = grid.threads[0] <= kThreads && grid.threads[0] % 32 == 0 &&
                    grid.threads[1] == 1 && grid.threads[2] == 1;
  if (!fits || !grid.chains || kernel.sizes.empty() || steps_.empty()) return false;
  Link link{&kernel, grid, {}, 0, 0};
  // Larger ones know better by themselves how to fill a card; so do those that take all the shared
  // memory they can have, unless they are small.
  if (link.blocks() > (grid.shared_bytes == 0 ? most_blocks() : most_blocks() / 8) ||
      grid.shared_bytes + kChainRoom + kOwnRoom > card_.most_shared_bytes())
    return false;
  for (size_t i = 0; i < kernel.sizes.size(); ++i) {
    const size_t at = link.arguments.size();
    link.arguments.resize(at + aligned(kernel.sizes[i]));
    std::memcpy(link.arguments.data() + at, arguments[i], kernel.sizes[i]);
  }
  size_t bytes = link.arguments.size();
  for (const Link& other : links_) bytes += other.arguments.size();
  if (!links_.empty() && (bytes > card_.most_argument_bytes() || links_.size() == kMostLinks))
    finish(queue);
  link.step = steps_.size() - 1;
  link.level = next_level(link.blocks());
  links_.push_back(std::move(link));
  return true;
}

/// Each link's own source is in a namespace of its own, since names repeat; it finds what the files
/// define outside of it.
KernelSource Chain::source_of(std::span<const Link> links) {
  std::vector<std::string_view> files;
  for (const Link& link : links) add_names(files, link.kernel->source.files);
  files.emplace_back("chain");
  std::string own, levels;
  size_t at = 0;
  for (size_t first = 0, end = 0; first < links.size(); first = end) {
    while (end < links.size() && links[end].level == links[first].level) ++end;
    std::string calls;
    unsigned blocks = 0;
    for (size_t i = first; i < end; ++i) {
      const KernelSource& source = links[i].kernel->source;
      const Grid& grid = links[i].grid;
      own += fmt::format(
          "namespace link{0} {{\n{1}\nDEVICE void run(const unsigned char* at) {{ "
          "Link<&{2}>::run(at); }}\n}}\n",
          i, source.own, source.function);
      calls += fmt::format(
          "    if (at >= {0} && at < {1} && enter_link(at - {0}, {{{2}, {3}, {4}}}, {5}))\n"
          "      link{6}::run(arguments.at + {7});\n",
          blocks, blocks + links[i].blocks(), grid.blocks[0], grid.blocks[1], grid.blocks[2],
          grid.threads[0], i, at);
      blocks += links[i].blocks();
      at += links[i].arguments.size();
    }
    levels += fmt::format(
        "{0}  for (unsigned int i = chain_block(); i < {1}; i += chain_blocks()) {{\n"
        "    const unsigned int at = turn(i, {1});\n"
        "    if (i >= chain_blocks()) chain_barrier();\n{2}  }}\n",
        first == 0 ? "" : "  wait_for_all_blocks(word);\n", blocks, calls);
  }
  own += fmt::format(
      "__global__ void __launch_bounds__({}) chain(CHAIN_ARGUMENTS ChainArguments<{}> arguments, "
      "unsigned int* word) {{\n{}}}\n",
      kThreads, at, levels);
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
  std::map<int, unsigned> blocks;  // by level
  Grid grid{.threads = {kThreads, 1, 1}};
  for (const Link& link : links) {
    arguments.insert(arguments.end(), link.arguments.begin(), link.arguments.end());
    blocks[link.level] += link.blocks();
    grid.shared_bytes = std::max(grid.shared_bytes, link.grid.shared_bytes);
  }
  const unsigned most = card_.most_together(*chained, kThreads, grid.shared_bytes);
  for (const auto& [level, count] : blocks)
    grid.blocks[0] = std::max(grid.blocks[0], std::min(count, most));
  grid.together = blocks.size() > 1 && grid.blocks[0] > 1;
  unsigned* word = grid.together ? card_.meeting_word() : nullptr;
  void* pointers[] = {arguments.data(), &word};
  card_.put_kernel(*chained, grid, pointers, queue);
}

void Chain::finish(void* queue) {
  std::ranges::stable_sort(links_, {}, &Link::level);
  if (!links_.empty()) put(links_, queue);
  links_.clear();
  // The current step may go on, as the first of the next chain.
  if (steps_.size() > 1) steps_.erase(steps_.begin(), steps_.end() - 1);
}

}  // namespace alula::cuda
