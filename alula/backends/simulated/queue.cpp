#include "alula/backends/simulated/queue.h"

#include <utility>

#include "alula/core/error.h"
#include "alula/runtime/denormals.h"

namespace alula::simulated {

Queue::Queue() : thread_([this] { work_until_closed(); }) {}

Queue::~Queue() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  more_.notify_one();
  thread_.join();
}

Ticket Queue::put(std::function<void()> work) {
  check_process();
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(work));
  more_.notify_one();
  return ++put_;
}

Ticket Queue::record() const {
  const std::lock_guard lock(mutex_);
  return put_;
}

bool Queue::done(Ticket ticket) const {
  const std::lock_guard lock(mutex_);
  return done_ >= ticket;
}

void Queue::wait(Ticket ticket) {
  check_process();
  std::unique_lock lock(mutex_);
  require<InternalError>(ticket <= put_, "simulated: the ticket {} is not of this queue.", ticket);
  progress_.wait(lock, [&] { return done_ >= ticket; });
  if (error_ != nullptr && failed_ <= ticket)
    std::rethrow_exception(std::exchange(error_, nullptr));
}

void Queue::work_until_closed() {
  const FlushDenormals flush;
  std::unique_lock lock(mutex_);
  for (;;) {
    more_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    std::exception_ptr error;
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    work = nullptr;  // what it holds goes before anybody is told that it is done
    lock.lock();
    ++done_;
    if (error != nullptr && error_ == nullptr) {
      error_ = std::move(error);
      failed_ = done_;
    }
    progress_.notify_all();
  }
}

void Queue::check_process() const {
  require<FailedPreconditionError>(
      is_of_this_process(),
      "simulated: a device cannot be used in a process that was forked after it was added.");
}

}  // namespace alula::simulated
