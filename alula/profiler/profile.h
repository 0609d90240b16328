#pragma once
#include <functional>
#include <string>
#include <vector>

#include "alula/graph/compat/graph.h"
#include "alula/graph/compat/statistics.h"

/// What a program spends its time on.
namespace alula::profiler {

enum class OrderBy : uint8_t { kTime, kBytes, kCalls, kName };

struct ProfileOptions {
  OrderBy order_by = OrderBy::kTime;
  double min_micros = 0;                                  // ops that took less in all are left out
  int64_t min_bytes = 0;                                  // likewise, those that wrote fewer bytes
  int max_depth = 100;                                    // of name scopes within name scopes
  std::function<void(const std::string&)> print_fn = {};  // the standard output
};

/// The options that TensorFlow's users know by name.
struct ProfileOptionBuilder {
  /// What ops took, and the memory that they read and wrote, the slowest first.
  static ProfileOptions time_and_memory() { return {}; }
};

/// A line of a profile: an op, or a name scope with all that is in it.
struct ProfileRow {
  std::string name;  // of a scope with a "/" at its end
  int depth = 0;     // how many scopes it is in
  std::string device;
  int64_t count = 0;  // of calls
  double seconds = 0;
  double share = 0;               // of the time of all ops
  int64_t read = 0, written = 0;  // bytes
};

/// What ran in a graph's sessions.
class Profile {
 public:
  Profile(compat::v1::GraphStatistics statistics, const ProfileOptions& options);

  /// Each scope before what is in it.
  const std::vector<ProfileRow>& rows() const { return rows_; }
  int64_t runs() const { return statistics_.runs; }
  /// The time of all runs, and the part of it that was spent in ops.
  double seconds() const;
  double seconds_in_ops() const { return seconds_in_ops_; }
  /// A table.
  std::string str() const;

 private:
  compat::v1::GraphStatistics statistics_;
  std::vector<ProfileRow> rows_;
  double seconds_in_ops_ = 0;
};

/// The time and memory of the ops that ran in a graph's sessions, without printing.
Profile profile_of(const compat::v1::Graph& graph,
                   const ProfileOptions& options = ProfileOptionBuilder::time_and_memory());

/// The same, printed as a table.
///   profile(get_default_graph(), ProfileOptionBuilder::time_and_memory());
Profile profile(const compat::v1::Graph& graph,
                const ProfileOptions& options = ProfileOptionBuilder::time_and_memory());

}  // namespace alula::profiler
