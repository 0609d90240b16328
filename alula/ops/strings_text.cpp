#include "alula/ops/strings_text.h"

namespace alula::strings {

std::string_view stripped(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (static_cast<unsigned char>(c) < ' ' || c == 127)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result + '"';
}

std::string shown(std::string_view text) {
  constexpr size_t kMost = 60;
  return text.size() <= kMost ? quoted(text) : quoted(text.substr(0, kMost)) + "…";
}

void require_strings(const char* who, SpecRefs inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    require(inputs[i].dtype == string, "{}: takes strings. Got {}. Use strings::as_string().", who,
            inputs);
}

std::vector<int64_t> broadcast_indices(const Shape& input, const Shape& output) {
  std::vector<int64_t> indices(static_cast<size_t>(output.size()));
  if (indices.empty()) return indices;
  const int extra = output.rank() - input.rank();
  std::vector<int64_t> steps(static_cast<size_t>(output.rank()), 0), at(steps.size(), 0);
  for (int64_t step = 1, i = input.rank() - 1; i >= 0; --i) {
    const int64_t size = input[static_cast<int>(i)];
    if (size != 1) steps[static_cast<size_t>(extra + i)] = step;
    step *= size;
  }
  int64_t index = 0;
  for (int64_t& place : indices) {
    place = index;
    for (size_t axis = steps.size(); axis-- > 0;) {  // on to the next, as an odometer
      index += steps[axis];
      if (++at[axis] < output[static_cast<int>(axis)]) break;
      index -= steps[axis] * at[axis];
      at[axis] = 0;
    }
  }
  return indices;
}

}  // namespace alula::strings
