#include "alula/profiler/profile.h"

#include <algorithm>
#include <array>
#include <map>

#include "alula/core/output.h"
#include "alula/profiler/units.h"

namespace alula::profiler {
namespace {

using compat::v1::GraphStatistics;
using compat::v1::OpStatistics;

void add_to(OpStatistics& sums, const OpStatistics& op) {
  sums.count += op.count;
  sums.nanoseconds += op.nanoseconds;
  sums.read += op.read;
  sums.written += op.written;
}

/// A scope, with what is in it.
struct Scope {
  OpStatistics sums;
  bool several_devices = false;
  std::map<std::string, Scope> inner;
  std::vector<OpStatistics> ops;

  void add(const OpStatistics& op) {
    several_devices = several_devices || (sums.count > 0 && sums.device != op.device);
    sums.device = op.device;
    add_to(sums, op);
  }
};

void add_op(Scope& top, const OpStatistics& op, int max_depth) {
  Scope* scope = &top;
  scope->add(op);
  size_t start = 0;
  for (int depth = 0; depth < max_depth; ++depth) {
    const size_t slash = op.scope.find('/', start);
    if (slash == std::string::npos) break;
    scope = &scope->inner[op.scope.substr(start, slash + 1 - start)];
    scope->add(op);
    start = slash + 1;
  }
  // Below the deepest scope shown, its ops are added up by name.
  for (OpStatistics& known : scope->ops) {
    if (known.name != op.name || known.device != op.device) continue;
    add_to(known, op);
    return;
  }
  scope->ops.push_back(op);
}

/// Makes the rows of a scope, those inside it after it.
class Rows {
 public:
  Rows(const ProfileOptions& options, double all_seconds)
      : options_(options), all_seconds_(all_seconds) {}

  std::vector<ProfileRow> of(const Scope& scope, int depth) const {
    struct Item {
      ProfileRow row;
      const Scope* scope;
    };
    std::vector<Item> items;
    for (const auto& [name, inner] : scope.inner) {
      ProfileRow row = row_of(name, inner.sums, depth);
      if (inner.several_devices) row.device = "";
      items.push_back({std::move(row), &inner});
    }
    for (const OpStatistics& op : scope.ops) items.push_back({row_of(op.name, op, depth), nullptr});
    std::erase_if(items, [&](const Item& item) {
      return item.row.seconds * 1e6 < options_.min_micros || item.row.written < options_.min_bytes;
    });
    std::stable_sort(items.begin(), items.end(),
                     [&](const Item& a, const Item& b) { return comes_before(a.row, b.row); });
    std::vector<ProfileRow> rows;
    for (Item& item : items) {
      rows.push_back(std::move(item.row));
      if (item.scope == nullptr) continue;
      std::vector<ProfileRow> inside = of(*item.scope, depth + 1);
      std::move(inside.begin(), inside.end(), std::back_inserter(rows));
    }
    return rows;
  }

 private:
  ProfileRow row_of(const std::string& name, const OpStatistics& sums, int depth) const {
    const double seconds = static_cast<double>(sums.nanoseconds) * 1e-9;
    return {.name = name,
            .depth = depth,
            .device = to_string(sums.device),
            .count = sums.count,
            .seconds = seconds,
            .share = all_seconds_ > 0 ? seconds / all_seconds_ : 0,
            .read = sums.read,
            .written = sums.written};
  }

  bool comes_before(const ProfileRow& a, const ProfileRow& b) const {
    switch (options_.order_by) {
      case OrderBy::kTime: return a.seconds > b.seconds;
      case OrderBy::kBytes: return a.read + a.written > b.read + b.written;
      case OrderBy::kCalls: return a.count > b.count;
      case OrderBy::kName: return a.name < b.name;
    }
    return false;
  }

  const ProfileOptions& options_;
  double all_seconds_;
};

constexpr size_t kColumns = 7;
using Line = std::array<std::string, kColumns>;

/// Columns as wide as they need to be: text to the left, numbers to the right.
std::string aligned(const std::vector<Line>& lines) {
  std::array<size_t, kColumns> widths{};
  for (const Line& line : lines)
    for (size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const Line& line : lines) {
    std::string row;
    for (size_t i = 0; i < kColumns; ++i) {
      if (i > 0) row += "  ";
      row += i < 2 ? fmt::format("{:<{}}", line[i], widths[i])
                   : fmt::format("{:>{}}", line[i], widths[i]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

std::string times(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

Profile::Profile(GraphStatistics statistics, const ProfileOptions& options)
    : statistics_(std::move(statistics)) {
  Scope top;
  for (const OpStatistics& op : statistics_.ops) add_op(top, op, options.max_depth);
  seconds_in_ops_ = static_cast<double>(top.sums.nanoseconds) * 1e-9;
  rows_ = Rows(options, seconds_in_ops_).of(top, 0);
}

double Profile::seconds() const { return static_cast<double>(statistics_.run_nanoseconds) * 1e-9; }

std::string Profile::str() const {
  if (statistics_.runs == 0) return "Nothing has run in the sessions of this graph yet.\n";
  std::string text = fmt::format(
      "{}: {}, of which {} in ops. Compiled {} in {}.\n", times(runs(), "run"),
      time_text(seconds()), time_text(seconds_in_ops()), times(statistics_.compilations, "time"),
      time_text(static_cast<double>(statistics_.compile_nanoseconds) * 1e-9));
  if (rows_.empty()) return text;
  std::vector<Line> lines = {{"op", "device", "calls", "time", "share", "read", "written"}};
  for (const ProfileRow& row : rows_)
    lines.push_back({std::string(static_cast<size_t>(2 * row.depth), ' ') + row.name, row.device,
                     std::to_string(row.count), time_text(row.seconds),
                     fmt::format("{:.1f}%", 100 * row.share), bytes_text(row.read),
                     bytes_text(row.written)});
  return text + aligned(lines);
}

Profile profile_of(const compat::v1::Graph& graph, const ProfileOptions& options) {
  return {graph.statistics(), options};
}

Profile profile(const compat::v1::Graph& graph, const ProfileOptions& options) {
  Profile made = profile_of(graph, options);
  if (options.print_fn)
    options.print_fn(made.str());
  else
    output().write(made.str());
  return made;
}

}  // namespace alula::profiler
