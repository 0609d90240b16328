#pragma once
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <string>

/// What a pipeline has to know of another language that it is used from, whose functions it calls.
namespace alula::data {

/// The exceptions of that language. They pass through pipelines as they are.
class HostErrors {
 public:
  virtual ~HostErrors() = default;
  /// Whether it is one of those.
  virtual bool is_one(const std::exception& error) const = 0;
  /// Whether it is to end the program, or what it does, and no fault of an element.
  virtual bool asks_to_stop(const std::exception& error) const = 0;
  /// Adds to it where it happened.
  virtual void add_note(const std::exception& error, const std::string& where) const = 0;
};
/// There is none in a C++ program. It must live as long as the process.
void set_host_errors(const HostErrors* errors);
const HostErrors* host_errors();

/// Whether the exception being handled is to stop the walk, rather than the fault of an element.
bool asks_to_stop();

/// While it lives, this thread calls a function now and then as it waits for an element. The
/// function may throw: whoever waits sees that.
class WhileWaiting {
 public:
  using Function = void (*)();
  explicit WhileWaiting(Function function);
  ~WhileWaiting();
  WhileWaiting(const WhileWaiting&) = delete;
  WhileWaiting& operator=(const WhileWaiting&) = delete;

  static Function current();

 private:
  Function before_;
};

/// Waits until `is_there`; false if the reader has gone.
template <class F>
bool wait_for_element(std::condition_variable_any& changed, std::unique_lock<std::mutex>& lock,
                      const std::stop_token& stop, const F& is_there) {
  constexpr std::chrono::milliseconds kNowAndThen{50};
  const WhileWaiting::Function function = WhileWaiting::current();
  if (function == nullptr) return changed.wait(lock, stop, is_there);
  while (!changed.wait_for(lock, stop, kNowAndThen, is_there)) {
    if (stop.stop_requested()) return false;
    lock.unlock();
    function();
    lock.lock();
  }
  return true;
}

}  // namespace alula::data
