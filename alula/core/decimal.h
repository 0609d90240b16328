#pragma once
#include <string>

#include "alula/core/dtype.h"

/// Floating point numbers as decimal text.
namespace alula {

/// The fewest digits that lead back to a number: 0.d1d2d3… * 10^point.
struct Decimal {
  bool negative = false;
  std::string digits;  // without zeros at either end, but "0" for zero
  int point = 0;       // where the decimal point stands, counted from the first digit
};

/// The shortest decimal that rounds to a finite `value` of the floating dtype, the nearest of
/// those.
Decimal shortest(double value, DType dtype);

/// "-12.5", "3.": all digits before the point, at most `kPrecision` after it. Where the decimal has
/// fewer or more, the digits are `value`'s own, rounded.
std::string to_positional(const Decimal& decimal, double value);
/// "-1.25e+01", "3.e+00": at most `kPrecision` digits after the point, the same.
std::string to_scientific(const Decimal& decimal, double value);
/// "-1.2500e+01": exactly that many, `value`'s own.
std::string to_scientific(const Decimal& decimal, double value, int fraction);
inline constexpr int kPrecision = 8;

/// A number on its own: all its digits, "1.0", "1e-05", "nan".
std::string scalar_to_string(double value, DType dtype);

}  // namespace alula
