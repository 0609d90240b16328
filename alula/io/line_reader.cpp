#include "alula/io/line_reader.h"

#include <cstring>

namespace alula::io {

LineReader::LineReader(const std::string& path, const LineReaderOptions& options)
    : LineReader(open_compressed(path, options.compression_type)) {}

bool LineReader::read(std::string& line) {
  std::string_view found;
  if (!next(found)) return false;
  line.assign(found);
  return true;
}

bool LineReader::next(std::string_view& line) {
  size_t searched = 0;
  const char* end = nullptr;
  for (;;) {
    const std::string_view window = input_.window();
    if (searched < window.size())
      end = static_cast<const char*>(
          std::memchr(window.data() + searched, '\n', window.size() - searched));
    if (end != nullptr) break;
    searched = window.size();
    if (!input_.extend()) break;
  }
  line = input_.window();
  if (end != nullptr) line = line.substr(0, static_cast<size_t>(end - line.data()));
  if (end == nullptr && line.empty()) return false;
  input_.consume(line.size() + (end != nullptr ? 1 : 0));
  while (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

}  // namespace alula::io
