#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "alula/data/stage.h"
#include "alula/data/tuner.h"

namespace alula::data {

/// Threads that work ahead of a reader. One at a time pulls the next item from the input; then they
/// work on their items side by side; the reader gets the items in the order in which they were
/// pulled or, if it does not mind, as they are done.
class Runner {
 public:
  struct Item {
    Row row;
    int64_t first = 0;  // number of its first element
    int64_t count = 0;  // elements stacked in it; 0: it is a single one
    int64_t bytes = 0;
    std::exception_ptr error = nullptr;
    bool ready = false;
  };
  using Pull = std::function<bool(Item&)>;  // false at the end
  using Work = std::function<void(Item&)>;

  Runner(const Tuner::Plan& plan, const Context& context, Notes& notes);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// What its input is to be walked with: it is told to stop when the runner goes.
  Context input_context() const { return context_.with_stop(stop_.get_token()); }
  void begin(Pull pull, Work work);
  /// Lets threads begin, if it is known that there will be any, before the first `next`.
  void start();

  /// The next item; false at the end. An error in making it is thrown here.
  bool next(Item& item);

  /// Waits for what is being worked on, and writes it; `save_input` writes what has not been
  /// pulled. Of an item that has failed there is nothing to write: an error.
  void save(StateWriter& state, const std::function<void()>& save_input);
  void restore(StateReader& state, const ElementSpec& spec,
               const std::function<void()>& restore_input);

 private:
  using Clock = Tuner::Clock;
  using Lock = std::unique_lock<std::mutex>;
  using Place = std::list<Item>::iterator;

  bool next_inline(Item& item);
  bool next_from_threads(Item& item);
  void begin_threads();
  void start_threads();
  void work_until_stopped();
  bool claim();
  bool pull(Place& mine);
  void make(Item& item) const;
  Place find_ready();
  bool at_end() const { return ended_ && items_.empty(); }

  Context context_;
  Tuner tuner_;
  Pull pull_;
  Work work_;
  Clock::time_point last_ = Clock::now();  // when the reader was here last
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> outer_stop_;

  std::mutex pulling_;  // held while an item is pulled; never locked after mutex_
  std::mutex mutex_;    // for all that follows, and the tuner once there are threads
  std::condition_variable_any done_, room_;
  std::list<Item> items_;  // pulled and not yet read, in order
  int64_t claimed_ = 0;    // those, and what is about to be pulled
  int64_t working_ = 0;    // threads at work
  bool ended_ = false;     // nothing more can be pulled
  std::vector<std::jthread> threads_;
};

}  // namespace alula::data
