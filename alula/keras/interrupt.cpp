#include "alula/keras/interrupt.h"

#include <atomic>
#include <csignal>
#include <mutex>

namespace alula::keras {
namespace {

// A signal handler may only touch what is lock-free.
std::atomic<int> signals_seen = 0;
static_assert(std::atomic<int>::is_always_lock_free);

std::mutex mutex;
int scopes = 0;          // guarded by the mutex
bool installed = false;  // likewise

void note_signal(int) { signals_seen.fetch_add(1); }

bool handler_is(void (*handler)(int)) {
  struct sigaction now{};
  return ::sigaction(SIGINT, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
         now.sa_handler == handler;
}

}  // namespace

InterruptScope::InterruptScope() : seen_before_(signals_seen.load()) {
  const std::scoped_lock lock(mutex);
  // Again where an earlier signal was noted and dealt with, but an outer scope still lives.
  if (handler_is(SIG_DFL)) {
    struct sigaction ours{};
    ours.sa_handler = note_signal;
    ours.sa_flags = SA_RESTART | SA_RESETHAND;  // the next one does what it does by default
    ::sigemptyset(&ours.sa_mask);
    installed = ::sigaction(SIGINT, &ours, nullptr) == 0;
  }
  ++scopes;
}

InterruptScope::~InterruptScope() {
  const std::scoped_lock lock(mutex);
  if (--scopes > 0 || !installed) return;
  installed = false;
  // A handler that the program has set meanwhile stays.
  if (handler_is(note_signal)) std::signal(SIGINT, SIG_DFL);
}

bool InterruptScope::interrupted() const { return signals_seen.load() != seen_before_; }

}  // namespace alula::keras
