#pragma once
#include <functional>
#include <string_view>

#include <fmt/format.h>

/// What Alula has to say beside its results. The library itself never prints: messages go to one
/// handler, which writes to the standard error unless the user sets another.
namespace alula::logging {

enum class Level { kInfo, kWarning, kSilent };

using Handler = std::function<void(Level, std::string_view message)>;

/// Replaces the handler; an empty one brings the standard error back. Returns the one before.
Handler set_handler(Handler handler);
/// Messages below this level are dropped: kWarning at first, or what ALULA_LOG says (info, silent).
void set_level(Level level);

/// Whether messages of this level are wanted.
bool enabled(Level level);
void write(Level level, std::string_view message);

template <class... Args>
void info(fmt::format_string<Args...> text, Args&&... args) {
  if (enabled(Level::kInfo)) write(Level::kInfo, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
  if (enabled(Level::kWarning))
    write(Level::kWarning, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace alula::logging
