#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "alula/runtime/spans.h"

namespace alula::compat::v1 {

/// What the calls of an op took, in all runs of a graph's sessions.
struct OpStatistics {
  std::string scope;  // the name scope that it was made in: "layer1/"; none if it was fused
  std::string name;
  Device device;
  int64_t count = 0;
  int64_t nanoseconds = 0;
  int64_t read = 0, written = 0;  // bytes of its inputs, and of its outputs
};

struct GraphStatistics {
  int64_t runs = 0;
  int64_t run_nanoseconds = 0;  // all of them, with what is beside kernels
  int64_t compilations = 0;
  int64_t compile_nanoseconds = 0;
  std::vector<OpStatistics> ops;

  void add(const GraphStatistics& other);
};

namespace internal {

/// The name scopes of ops. It holds the ops, so that no other comes to have the same address.
struct Scope {
  std::shared_ptr<const Op> op;
  std::string name;
};
using Scopes = std::unordered_map<const Op*, Scope>;

struct MeasuredCall {
  const Op* op;  // for its address alone
  const char* name;
  spans::Measured measured;
};

/// What the runs of one compiled part of a graph took. Each run makes the same calls in the same
/// order, so an addition a call is all that is done.
class Tally {
 public:
  Tally(int64_t compile_nanoseconds, Scopes scopes);

  /// Measures the run of this thread while it lives, and counts it if it succeeded.
  class Run final : private spans::Sink {
   public:
    explicit Run(Tally& tally);
    ~Run() override;
    void succeeded();

   private:
    void ran(const Op& op, const spans::Measured& call) override;

    Tally& tally_;
    std::vector<MeasuredCall> calls_;
    int64_t start_;
    spans::OfThread listening_;
  };

  GraphStatistics statistics() const;

 private:
  struct Entry {
    const char* name;
    OpStatistics sums;
  };
  void add(size_t place, const MeasuredCall& call);

  mutable std::mutex mutex_;
  Scopes scopes_;
  GraphStatistics sums_;
  std::vector<Entry> entries_;      // in the order of the calls
  std::vector<MeasuredCall> room_;  // of the last run, to be used again
  friend class Run;
};

/// The statistics of a graph: of what is compiled now, and of what was before.
class Tallies {
 public:
  void add(std::shared_ptr<Tally> tally);
  /// Keeps what it has counted, but not the tally itself.
  void retire(const std::shared_ptr<Tally>& tally);
  GraphStatistics statistics() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Tally>> active_;
  GraphStatistics retired_;
};

}  // namespace internal
}  // namespace alula::compat::v1
