#pragma once
#include <algorithm>
#include <type_traits>

#include "alula/backends/cpu/conv2d.h"
#include "alula/backends/cpu/convert.h"

namespace alula::cpu {

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The images that a convolution reads, strip by strip: where they lie if that is possible, else
/// copied with zeros around them. S is what tensors hold, T what is computed with.
template <class S, class T>
class Source {
 public:
  /// `repeat`: how many copies are made of each channel, side by side.
  Source(const Correlation& correlation, int64_t repeat)
      : c_(correlation), repeat_(repeat), in_channels_(c_.groups * c_.group_in) {
    if (c_.taps.empty()) return;
    top_ = bottom_ = c_.taps[0].y;
    left_ = right_ = c_.taps[0].x;
    for (const Tap& tap : c_.taps) {
      top_ = std::min(top_, tap.y);
      bottom_ = std::max(bottom_, tap.y);
      left_ = std::min(left_, tap.x);
      right_ = std::max(right_, tap.x);
    }
    padded_ = top_ < 0 || left_ < 0 || (c_.rows - 1) * c_.step_y + bottom_ >= c_.height ||
              (c_.columns - 1) * c_.step_x + right_ >= c_.width;
  }

  /// Whether windows look outside of the images.
  bool padded() const { return padded_; }
  int64_t channels() const { return in_channels_ * repeat_; }
  /// Elements from one row, or from one row of results, to the next.
  int64_t row() const { return (copies() ? width() : c_.width) * channels(); }
  int64_t result_row() const { return c_.step_y * row(); }
  /// Elements from one result to the next.
  int64_t step() const { return c_.step_x * channels(); }
  /// Where a tap's first channel lies, seen from the first element of a window.
  int64_t offset(const Tap& tap) const {
    return (tap.y - top_) * row() + (tap.x - left_) * channels();
  }
  /// How many elements a strip of so many rows of results needs for its copy.
  int64_t copy_size(int64_t rows) const { return copies() ? source_rows(rows) * row() : 0; }

  /// The first element of the first window of the rows [begin, end) of an image's results.
  const T* strip(const S* images, int64_t image, int64_t begin, int64_t end, T* copy) const {
    const S* from = images + image * c_.height * c_.width * in_channels_;
    if constexpr (std::is_same_v<S, T>)
      if (!copies()) return from + (begin * c_.step_y + top_) * row() + left_ * channels();
    copy_rows(from, begin * c_.step_y + top_, source_rows(end - begin), copy);
    return copy;
  }

 private:
  bool copies() const { return padded_ || repeat_ > 1 || !std::is_same_v<S, T>; }
  int64_t width() const { return (c_.columns - 1) * c_.step_x + right_ - left_ + 1; }
  int64_t source_rows(int64_t rows) const { return (rows - 1) * c_.step_y + bottom_ - top_ + 1; }

  void copy_rows(const S* image, int64_t first, int64_t rows, T* to) const {
    const int64_t before = std::clamp<int64_t>(-left_, 0, width());
    const int64_t end = std::clamp<int64_t>(c_.width - left_, before, width());
    for (int64_t y = first; y < first + rows; ++y, to += row()) {
      if (y < 0 || y >= c_.height) {
        std::fill_n(to, row(), T{0});
        continue;
      }
      std::fill_n(to, before * channels(), T{0});
      copy_pixels(to + before * channels(), image + (y * c_.width + left_ + before) * in_channels_,
                  end - before);
      std::fill_n(to + end * channels(), row() - end * channels(), T{0});
    }
  }

  void copy_pixels(T* to, const S* from, int64_t pixels) const {
    if (repeat_ == 1) return convert(to, from, pixels * in_channels_);
    for (int64_t i = 0; i < pixels * in_channels_; ++i)
      for (int64_t r = 0; r < repeat_; ++r) *to++ = static_cast<T>(from[i]);
  }

  const Correlation& c_;
  int64_t repeat_;
  int64_t in_channels_;
  int64_t top_ = 0, bottom_ = 0, left_ = 0, right_ = 0;  // of the taps
  bool padded_ = false;
};

}  // namespace alula::cpu
