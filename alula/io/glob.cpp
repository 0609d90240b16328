#include "alula/io/glob.h"

#include <algorithm>
#include <glob.h>

#include <fmt/ranges.h>

#include "alula/core/error.h"

namespace alula::io {
namespace {

struct Matches {
  glob_t found{};
  Matches() = default;
  Matches(const Matches&) = delete;
  Matches& operator=(const Matches&) = delete;
  ~Matches() { ::globfree(&found); }
};

void append_matches(const std::string& pattern, std::vector<std::string>& paths) {
  // The system's function would stop at the first zero byte, and match something else.
  require(pattern.find('\0') == std::string::npos, "glob: a pattern has no zero bytes.");
  Matches matches;
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &matches.found);
  require<ResourceExhaustedError>(status != GLOB_NOSPACE,
                                  "glob: the files of \"{}\" do not fit into memory.", pattern);
  for (size_t i = 0; i < matches.found.gl_pathc; ++i) paths.emplace_back(matches.found.gl_pathv[i]);
}

}  // namespace

std::vector<std::string> glob(const std::string& pattern) {
  return glob(std::vector<std::string>{pattern});
}

std::vector<std::string> glob(const std::vector<std::string>& patterns) {
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns) append_matches(pattern, paths);
  require<NotFoundError>(!paths.empty(), "glob: no file matches {}.", fmt::join(patterns, ", "));
  // By bytes, so that the order does not depend on the language of the machine.
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace alula::io
