#include "alula/graph/compat/statistics.h"

#include <algorithm>

namespace alula::compat::v1 {
namespace {

bool same_op(const OpStatistics& a, const OpStatistics& b) {
  return a.name == b.name && a.scope == b.scope && a.device == b.device;
}

void add_to(std::vector<OpStatistics>& ops, const OpStatistics& op) {
  const auto known = std::find_if(ops.begin(), ops.end(),
                                  [&](const OpStatistics& other) { return same_op(op, other); });
  if (known == ops.end()) {
    ops.push_back(op);
    return;
  }
  known->count += op.count;
  known->nanoseconds += op.nanoseconds;
  known->read += op.read;
  known->written += op.written;
}

}  // namespace

void GraphStatistics::add(const GraphStatistics& other) {
  runs += other.runs;
  run_nanoseconds += other.run_nanoseconds;
  compilations += other.compilations;
  compile_nanoseconds += other.compile_nanoseconds;
  for (const OpStatistics& op : other.ops) add_to(ops, op);
}

namespace internal {

Tally::Tally(int64_t compile_nanoseconds, Scopes scopes) : scopes_(std::move(scopes)) {
  sums_.compilations = 1;
  sums_.compile_nanoseconds = compile_nanoseconds;
}

Tally::Run::Run(Tally& tally) : tally_(tally), start_(spans::now()), listening_(*this) {
  const std::lock_guard lock(tally_.mutex_);
  calls_ = std::exchange(tally_.room_, {});
}

Tally::Run::~Run() {
  calls_.clear();
  const std::lock_guard lock(tally_.mutex_);
  tally_.room_ = std::move(calls_);
}

void Tally::Run::ran(const Op& op, const spans::Measured& call) {
  calls_.push_back({&op, op.name(), call});
}

void Tally::Run::succeeded() {
  const int64_t end = spans::now();
  const std::lock_guard lock(tally_.mutex_);
  for (size_t i = 0; i < calls_.size(); ++i) tally_.add(i, calls_[i]);
  ++tally_.sums_.runs;
  tally_.sums_.run_nanoseconds += end - start_;
}

void Tally::add(size_t place, const MeasuredCall& call) {
  const bool fits = place < entries_.size() && entries_[place].name == call.name &&
                    entries_[place].sums.device == call.measured.device;
  if (!fits) {  // the first run, or one that went another way
    const auto scope = scopes_.find(call.op);
    Entry entry{call.name,
                {.scope = scope == scopes_.end() ? "" : scope->second.name,
                 .name = call.name,
                 .device = call.measured.device}};
    if (place < entries_.size())
      add_to(sums_.ops, std::exchange(entries_[place], std::move(entry)).sums);
    else
      entries_.push_back(std::move(entry));
  }
  OpStatistics& sums = entries_[place].sums;
  ++sums.count;
  sums.nanoseconds += call.measured.end - call.measured.start;
  sums.read += call.measured.read;
  sums.written += call.measured.written;
}

GraphStatistics Tally::statistics() const {
  const std::lock_guard lock(mutex_);
  GraphStatistics all = sums_;
  for (const Entry& entry : entries_)
    if (entry.sums.count > 0) add_to(all.ops, entry.sums);
  return all;
}

void Tallies::add(std::shared_ptr<Tally> tally) {
  const std::lock_guard lock(mutex_);
  active_.push_back(std::move(tally));
}

void Tallies::retire(const std::shared_ptr<Tally>& tally) {
  const std::lock_guard lock(mutex_);
  std::erase(active_, tally);
  retired_.add(tally->statistics());
}

GraphStatistics Tallies::statistics() const {
  const std::lock_guard lock(mutex_);
  GraphStatistics all = retired_;
  for (const std::shared_ptr<Tally>& tally : active_) all.add(tally->statistics());
  return all;
}

}  // namespace internal
}  // namespace alula::compat::v1
