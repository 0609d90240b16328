#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "alula/runtime/backend.h"

namespace alula::simulated {

/// Work that a thread of its own does in the order in which it was put there. A ticket is the
/// number of pieces of work put before.
class Queue {
 public:
  Queue();
  /// Does what is left first.
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  Ticket put(std::function<void()> work);
  Ticket record() const;
  bool done(Ticket ticket) const;
  /// Returns when everything before the ticket is done. Throws the first error of that work which
  /// has not been thrown yet; the errors after it are dropped with it.
  void wait(Ticket ticket);
  /// Whether the process is the one that made the queue: a forked child has no such thread.
  bool is_of_this_process() const { return getpid() == process_; }

 private:
  void work_until_closed();
  void check_process() const;

  mutable std::mutex mutex_;
  std::condition_variable more_;      // there is work, or none will come any more
  std::condition_variable progress_;  // a piece of work is done
  std::deque<std::function<void()>> waiting_;
  Ticket put_ = 0;
  Ticket done_ = 0;
  bool closed_ = false;
  std::exception_ptr error_ = nullptr;
  Ticket failed_ = 0;  // what the error's work counts up to
  const pid_t process_ = getpid();
  std::thread thread_;
};

}  // namespace alula::simulated
