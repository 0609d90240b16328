// Tensors as NumPy prints arrays (its versions 1.26 to 2.2): str(array) with the default options.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>

#include "alula/core/decimal.h"
#include "alula/core/tensor.h"

namespace alula {
namespace {

constexpr int64_t kThreshold = 1000;  // beyond this many elements only the edges are shown
constexpr int64_t kEdge = 3;
constexpr int kLineWidth = 75;

/// Calls `visit` with the offsets of the elements that are shown.
template <class F>
void for_each_shown(const Shape& shape, F&& visit, int axis = 0, int64_t offset = 0) {
  if (axis == shape.rank()) {
    visit(offset);
    return;
  }
  const bool edges_only = shape.size() > kThreshold && shape[axis] > 2 * kEdge;
  for (int64_t i = 0; i < shape[axis]; ++i) {
    if (edges_only && i == kEdge) i = shape[axis] - kEdge;
    for_each_shown(shape, visit, axis + 1, offset * shape[axis] + i);
  }
}

/// The text of the element at an offset.
using Format = std::function<std::string(int64_t)>;

std::string padded(std::string_view text, size_t width) {
  return fmt::format("{:>{}}", text, width);
}

/// A number of a floating dtype, split at the decimal point, so that columns can be aligned.
struct Parts {
  std::string whole;
  std::string fraction;
  std::string exponent;  // "+08"; none if there is no exponent
};

Parts split(const std::string& text) {
  const size_t point = text.find('.'), e = std::min(text.find('e'), text.size());
  return {text.substr(0, point), text.substr(point + 1, e - point - 1),
          e == text.size() ? "" : text.substr(e + 1)};
}

/// A number as one of the dtype: what NumPy compares with is. (It has no bfloat16, which is taken
/// for the float32 that it is a part of.)
double in_dtype(double value, DType dtype) {
  if (dtype == float64) return value;
  const auto single = static_cast<float>(value);
  return dtype == float16 ? static_cast<float>(Half(single)) : single;
}

/// Formats all elements of a floating tensor alike: with or without exponents, decimal points
/// aligned.
class FloatFormat {
 public:
  FloatFormat(DType dtype, std::span<const double> shown) : dtype_(dtype) {
    scientific_ = needs_exponents(shown);
    bool finite = true, negative_infinity = false;
    for (double value : shown) {
      if (std::isfinite(value)) {
        measure(value);
      } else {
        finite = false;
        negative_infinity |= value < 0 && std::isinf(value);
      }
    }
    if (finite) return;
    const size_t right = right_width() + 1, wanted = negative_infinity ? 4 : 3;
    if (wanted > right) left_ = std::max(left_, wanted - right);
  }

  std::string operator()(double value) const {
    if (std::isnan(value)) return padded("nan", left_ + right_width() + 1);
    if (std::isinf(value)) return padded(value < 0 ? "-inf" : "inf", left_ + right_width() + 1);
    const Decimal decimal = shortest(value, dtype_);
    if (!scientific_) {
      const Parts parts = split(to_positional(decimal, value));
      return fmt::format("{:>{}}.{:<{}}", parts.whole, left_, parts.fraction, fraction_);
    }
    Parts parts = split(to_scientific(decimal, value, static_cast<int>(fraction_)));
    parts.exponent.insert(1, exponent_ - parts.exponent.size(), '0');
    return fmt::format("{:>{}}.{}e{}", parts.whole, left_, parts.fraction, parts.exponent);
  }

 private:
  /// NumPy's rule, computed in the dtype itself as it does.
  bool needs_exponents(std::span<const double> shown) const {
    double largest = 0, smallest = std::numeric_limits<double>::infinity();
    for (double value : shown) {
      if (!std::isfinite(value) || value == 0) continue;
      largest = std::max(largest, std::abs(value));
      smallest = std::min(smallest, std::abs(value));
    }
    if (largest == 0) return false;
    return largest >= in_dtype(1e8, dtype_) || smallest < in_dtype(1e-4, dtype_) ||
           in_dtype(largest / smallest, dtype_) > 1000;
  }

  void measure(double value) {
    const Decimal decimal = shortest(value, dtype_);
    const Parts parts =
        split(scientific_ ? to_scientific(decimal, value) : to_positional(decimal, value));
    left_ = std::max(left_, parts.whole.size());
    fraction_ = std::max(fraction_, parts.fraction.size());
    exponent_ = std::max(exponent_, parts.exponent.size());
  }

  /// What stands right of the decimal point, the exponent included.
  size_t right_width() const { return fraction_ + (scientific_ ? exponent_ + 1 : 0); }

  DType dtype_;
  bool scientific_ = false;
  size_t left_ = 0, fraction_ = 0, exponent_ = 0;
};

double floating_at(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat16: return tensor.span<Half>()[i];
    case DType::kBFloat16: return tensor.span<BFloat16>()[i];
    case DType::kFloat32: return tensor.span<float>()[i];
    default: return tensor.span<double>()[i];
  }
}

std::string integer_at(const Tensor& tensor, int64_t i) {
  return with_type(tensor.dtype(), [&]<class T>(Type<T>) {
    if constexpr (std::integral<T>)
      return std::to_string(tensor.span<T>()[i]);
    else
      return std::string();
  });
}

/// A string as Python writes bytes: b'text', with what cannot be printed escaped.
std::string quoted(std::string_view text) {
  const bool single = text.find('\'') == text.npos || text.find('"') != text.npos;
  const char quote = single ? '\'' : '"';
  std::string result = {'b', quote};
  for (const char c : text) {
    if (c == quote || c == '\\')
      result += {'\\', c};
    else if (c == '\n')
      result += "\\n";
    else if (c == '\r')
      result += "\\r";
    else if (c == '\t')
      result += "\\t";
    else if (c < ' ' || c > '~')
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  result += quote;
  return result;
}

Format format_of(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype == string)
    return [&tensor](int64_t i) { return quoted(tensor.span<std::string>()[i]); };
  if (dtype == boolean)
    return [&tensor](int64_t i) { return tensor.span<bool>()[i] ? " True" : "False"; };
  if (is_floating(dtype)) {
    std::vector<double> shown;
    for_each_shown(tensor.shape(), [&](int64_t i) { shown.push_back(floating_at(tensor, i)); });
    return [&tensor, format = FloatFormat(dtype, shown)](int64_t i) {
      return format(floating_at(tensor, i));
    };
  }
  size_t width = 0;
  for_each_shown(tensor.shape(),
                 [&](int64_t i) { width = std::max(width, integer_at(tensor, i).size()); });
  return [&tensor, width](int64_t i) { return padded(integer_at(tensor, i), width); };
}

/// Puts the elements' texts into nested brackets, in lines of limited width.
class Layout {
 public:
  Layout(const Shape& shape, Format format)
      : shape_(shape), format_(std::move(format)), summarized_(shape.size() > kThreshold) {}

  /// The part of the tensor at an offset within its first `axis` dimensions.
  std::string text(int axis = 0, int64_t offset = 0) const {
    return axis + 1 == shape_.rank() ? row(axis, offset) : block(axis, offset);
  }

 private:
  std::string row(int axis, int64_t offset) const {
    // A bracket for each dimension stands before and, on the last line, after the elements.
    const size_t width = kLineWidth - axis - 1;
    const std::string indent(axis + 1, ' ');
    std::string done, line = indent;
    const auto append = [&](const std::string& word) {
      if (line.size() + word.size() > width && line.size() > indent.size()) {
        line.erase(line.find_last_not_of(' ') + 1);
        done.append(line).append("\n");
        line = indent;
      }
      line += word;
    };
    for_each_part(axis, [&](int64_t i) {
      if (i > 0) line += ' ';
      append(i == kGap ? "..." : format_(offset * shape_[axis] + i));
    });
    done.append(line).append("]");
    done[indent.size() - 1] = '[';
    return done.substr(indent.size() - 1);
  }

  std::string block(int axis, int64_t offset) const {
    std::string result(1, '[');
    for_each_part(axis, [&](int64_t i) {
      if (i > 0) result.append(shape_.rank() - axis - 1, '\n').append(axis + 1, ' ');
      result += i == kGap ? "..." : text(axis + 1, offset * shape_[axis] + i);
    });
    result += ']';
    return result;
  }

  /// Calls `visit` with the indices along an axis, kGap standing for those left out.
  template <class F>
  void for_each_part(int axis, F&& visit) const {
    const int64_t size = shape_[axis];
    const bool edges_only = summarized_ && size > 2 * kEdge;
    for (int64_t i = 0; i < size; ++i) {
      if (edges_only && i == kEdge) {
        visit(kGap);
        i = size - kEdge;
      }
      visit(i);
    }
  }

  static constexpr int64_t kGap = std::numeric_limits<int64_t>::max();
  const Shape& shape_;
  Format format_;
  bool summarized_;
};

std::string scalar_text(const Tensor& tensor) {
  if (tensor.dtype() == string) return quoted(tensor.span<std::string>()[0]);
  if (tensor.dtype() == boolean) return tensor.span<bool>()[0] ? "True" : "False";
  if (!is_floating(tensor.dtype())) return integer_at(tensor, 0);
  return scalar_to_string(floating_at(tensor, 0), tensor.dtype());
}

}  // namespace

std::string Tensor::str() const {
  if (!defined()) return "Tensor()";
  if (is_symbolic()) return fmt::format("<symbolic {}>", spec());
  if (size() == 0) return "[]";
  const Tensor host = cpu();
  if (rank() == 0) return scalar_text(host);
  return Layout(host.shape(), format_of(host)).text();
}

}  // namespace alula
