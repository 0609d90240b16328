#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

#include "alula/data/inner.h"
#include "alula/data/tuner.h"

namespace alula::data {

/// The data sets that interleave has open, each in a place of its own. Threads that they share read
/// ahead of the reader, each one element of one data set at a time: first of the data sets whose
/// turn comes next.
class Cycle {
 public:
  struct Plan {
    int64_t places = 1;
    int64_t readers = 0;  // threads, or AUTOTUNE; 0: the reader's own
    int64_t ahead = 2;    // elements of each data set that are read ahead, unless AUTOTUNE says
  };
  Cycle(const Plan& plan, const Context& context, Notes& notes);
  ~Cycle();
  Cycle(const Cycle&) = delete;
  Cycle& operator=(const Cycle&) = delete;

  size_t size() const { return places_.size(); }
  bool is_open(size_t i) const { return places_[i].inner != nullptr; }
  /// What the data sets are to be walked with: they are told to stop when the cycle goes.
  Context inner_context() const { return context_.with_stop(stop_.get_token()); }
  void open(size_t i, std::unique_ptr<InnerWalk> inner) { open(i, std::move(inner), false); }
  void close(size_t i);

  /// The next element of a data set; false at its end. An error in reading it is thrown here.
  bool next(size_t i, Row& row);
  /// The first place, from `i` on, where `next` need not wait. `others` says whether places without
  /// a data set count.
  size_t wait_for_any(size_t i, bool others);

  /// Waits for what is being read, and writes what a data set is to go on with.
  void save(size_t i, StateWriter& state);
  void restore(size_t i, StateReader& state, std::unique_ptr<InnerWalk> inner,
               const ElementSpec& spec);

 private:
  using Clock = Tuner::Clock;
  using Lock = std::unique_lock<std::mutex>;
  struct Item {
    Row row;
    std::exception_ptr error = nullptr;
  };
  struct Place {
    std::unique_ptr<InnerWalk> inner;  // opened and closed by the reader alone
    std::deque<Item> items;            // read and not yet taken
    bool busy = false;                 // a thread reads from it
    bool ended = false;
  };

  void open(size_t i, std::unique_ptr<InnerWalk> inner, bool ended);
  bool next_inline(Place& place, Row& row);
  bool wait_until(Lock& lock, const std::function<bool()>& is_there);
  void start_threads();
  void read_until_stopped();
  Place* find_work();

  Plan plan_;
  Context context_;
  Tuner tuner_;
  Clock::time_point last_ = Clock::now();  // when the reader was here last
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> outer_stop_;

  std::mutex mutex_;  // for all that follows, and the tuner once there are threads
  std::condition_variable_any done_, room_;
  std::vector<Place> places_;
  size_t turn_ = 0;      // whose elements are wanted first
  int64_t waiting_ = 0;  // elements that are read and not yet taken
  int64_t working_ = 0;  // threads at work
  std::vector<std::jthread> threads_;
};

}  // namespace alula::data
