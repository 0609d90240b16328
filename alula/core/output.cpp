#include "alula/core/output.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include <sys/ioctl.h>

namespace alula {
namespace {

/// It looks at the descriptor each time, since a program may redirect it.
class StandardOutput final : public Output {
 public:
  void write(std::string_view text) override {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  bool is_terminal() const override {
    const char* term = std::getenv("TERM");
    return ::isatty(STDOUT_FILENO) == 1 && (term == nullptr || std::string_view(term) != "dumb");
  }

  int columns() const override {
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  }
};

std::atomic<Output*> chosen = nullptr;

}  // namespace

Output& output() {
  static StandardOutput standard;
  Output* other = chosen.load();
  return other != nullptr ? *other : standard;
}

Output* set_output(Output* output) { return chosen.exchange(output); }

}  // namespace alula
