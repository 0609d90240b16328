#include "alula/ops/window.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace alula {
namespace {

/// Sizes beyond this could overflow when multiplied.
constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

bool matches(std::string_view word, std::string_view wanted) {
  return std::equal(word.begin(), word.end(), wanted.begin(), wanted.end(), [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a)) == b;
  });
}

bool within(Size2 size, int64_t least) {
  return size.height >= least && size.width >= least && size.height <= kMost && size.width <= kMost;
}

void set_padding(Window& window, Padding::Kind kind, int64_t before, int64_t after) {
  if (kind == Padding::kExplicit) {
    window.before = before;
    window.after = after;
  } else if (kind == Padding::kSame && window.input != kUnknown) {
    window.output = (window.input + window.stride - 1) / window.stride;
    const int64_t needed = (window.output - 1) * window.stride + window.extent();
    const int64_t total = std::max<int64_t>(needed - window.input, 0);
    window.before = total / 2;
    window.after = total - total / 2;
  }
}

/// Sets the number of windows. Returns false if not even one fits.
bool count(Window& window, Padding::Kind kind) {
  if (window.input == kUnknown) {
    window.output = kUnknown;
    return true;
  }
  if (kind == Padding::kSame) return true;
  const int64_t room = window.input + window.before + window.after - window.extent();
  window.output = room < 0 ? 0 : room / window.stride + 1;
  return room >= 0;
}

}  // namespace

Padding::Padding(std::string_view word) {
  const bool same = matches(word, "SAME");
  require(same || matches(word, "VALID"),
          "padding: \"{}\" is not known. Use \"VALID\", \"SAME\" or {{top, bottom, left, right}}.",
          word);
  kind = same ? kSame : kValid;
}

Windows slide(const char* who, Size2 input, const Sliding& sliding, const Spec& got) {
  const auto& [size, strides, dilations, padding] = sliding;
  require(within(size, 1), "{}: the window must be at least 1x1. Got {}.", who, size);
  require(within(strides, 1), "{}: the strides must be at least 1. Got {}.", who, strides);
  require(within(dilations, 1), "{}: the dilations must be at least 1. Got {}.", who, dilations);
  require(within(Size2(padding.top, padding.bottom), 0) &&
              within(Size2(padding.left, padding.right), 0),
          "{}: a padding cannot be negative. Got top {}, bottom {}, left {}, right {}.", who,
          padding.top, padding.bottom, padding.left, padding.right);
  require(input.height <= kMost && input.width <= kMost, "{}: the images are too large. Got {}.",
          who, got);
  Windows windows{{input.height, size.height, strides.height, dilations.height},
                  {input.width, size.width, strides.width, dilations.width}};
  set_padding(windows.y, padding.kind, padding.top, padding.bottom);
  set_padding(windows.x, padding.kind, padding.left, padding.right);
  // Both axes are counted before either is complained of.
  const bool fits_y = count(windows.y, padding.kind), fits_x = count(windows.x, padding.kind);
  require(
      fits_y && fits_x,
      "{}: the window {} is larger than the input. Got {}. Use padding = \"SAME\", or a smaller "
      "window.",
      who, Size2(windows.y.extent(), windows.x.extent()), got);
  return windows;
}

std::string to_string(const Size2& size) { return fmt::format("{}x{}", size.height, size.width); }

std::string to_string(const Padding& padding) {
  if (padding.kind == Padding::kExplicit)
    return fmt::format("[{},{},{},{}]", padding.top, padding.bottom, padding.left, padding.right);
  return padding.kind == Padding::kSame ? "SAME" : "VALID";
}

}  // namespace alula
