#include "alula/core/log.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace alula::logging {
namespace {

Level level_from_environment() {
  const char* word = std::getenv("ALULA_LOG");
  if (word == nullptr) return Level::kWarning;
  if (std::string_view(word) == "info") return Level::kInfo;
  return std::string_view(word) == "silent" ? Level::kSilent : Level::kWarning;
}

struct State {
  std::mutex mutex;
  std::atomic<Level> level = level_from_environment();
  Handler handler;
};

State& state() {
  static State* state = new State;  // threads may log while the process ends
  return *state;
}

}  // namespace

Handler set_handler(Handler handler) {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().handler, std::move(handler));
}

void set_level(Level level) { state().level = level; }

bool enabled(Level level) { return level >= state().level && level != Level::kSilent; }

void write(Level level, std::string_view message) {
  if (!enabled(level)) return;
  Handler handler;
  {
    // Called outside the lock: it may log, or set another.
    const std::lock_guard lock(state().mutex);
    handler = state().handler;
  }
  if (handler) {
    handler(level, message);
    return;
  }
  std::fprintf(stderr, "Alula: %.*s\n", static_cast<int>(message.size()), message.data());
}

}  // namespace alula::logging
