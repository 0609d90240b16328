#pragma once
#include <array>
#include <string_view>

#include "alula/core/spec.h"

/// What the ops that slide a window over images share: conv2d and its kin, and pooling.
namespace alula {

/// Height and width: 2 means 2 and 2, {2, 3} height 2 and width 3.
struct Size2 {
  int64_t height = 1;
  int64_t width = 1;

  constexpr Size2() = default;
  constexpr Size2(int64_t both) : height(both), width(both) {}
  constexpr Size2(int64_t height, int64_t width) : height(height), width(width) {}
  constexpr bool operator==(const Size2&) const = default;
};
/// "2x3"
std::string to_string(const Size2& size);

/// What surrounds the images: "VALID" (nothing), "SAME" (as many zeros as make the result of stride
/// 1 as large as the input), or numbers: {top, bottom, left, right}. The case of the words is free.
struct Padding {
  enum Kind : uint8_t { kValid, kSame, kExplicit };
  Kind kind = kValid;
  int64_t top = 0, bottom = 0, left = 0, right = 0;

  constexpr Padding() = default;
  constexpr Padding(Kind kind) : kind(kind) {}
  constexpr Padding(int64_t top, int64_t bottom, int64_t left, int64_t right)
      : kind(kExplicit), top(top), bottom(bottom), left(left), right(right) {}
  Padding(std::string_view word);
  Padding(const char* word) : Padding(std::string_view(word)) {}
  constexpr bool operator==(const Padding&) const = default;
};

/// "VALID", "SAME" or "[1,1,2,2]".
std::string to_string(const Padding& padding);

/// How a window moves along one axis, all sizes known.
struct Window {
  int64_t input = 0;     // the input's size
  int64_t size = 1;      // positions that the window looks at
  int64_t stride = 1;    // between neighbouring windows
  int64_t dilation = 1;  // between the positions of one window
  int64_t before = 0;    // padding
  int64_t after = 0;
  int64_t output = 0;  // the number of windows

  /// From the first to the last position of a window.
  int64_t extent() const { return (size - 1) * dilation + 1; }
};

/// The windows along height and width.
struct Windows {
  Window y;
  Window x;
};

/// What an op slides over its images.
struct Sliding {
  Size2 size;
  Size2 strides = 1;
  Size2 dilations = 1;
  Padding padding;
};

/// The windows over an input of these sizes, or an error that names `who`, tells of a window that
/// does not fit and shows `got`. A size may be unknown: then so is the number of windows along that
/// axis.
Windows slide(const char* who, Size2 input, const Sliding& sliding, const Spec& got);

}  // namespace alula

template <>
struct fmt::formatter<alula::Padding> : alula::TextFormatter<alula::Padding> {};
template <>
struct fmt::formatter<alula::Size2> : alula::TextFormatter<alula::Size2> {};
