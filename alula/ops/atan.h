#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
/// Angles in [0, 1] are brought to [-tan(pi / 8), tan(pi / 8)], where a polynomial of the square
/// suffices for every dtype.
template <class T>
T atan_of_unit(T x) {
  constexpr double kTanPiOver8 = 0.41421356237309503, kPiOver4 = 0.78539816339744831;
  constexpr double kCoefficients[] = {
      -0.3333333333333333,  0.19999999999999804,  -0.14285714285659779, 0.11111111105150588,
      -0.09090908753259112, 0.07692296368042296,  -0.0666642476020052,  0.05878927554473807,
      -0.05230443640686948, 0.045515447340221615, -0.03456931506332609, 0.016284375050043393};
  const T turned = select(x > kTanPiOver8, (x - 1) / (x + 1), x);
  const T square = turned * turned;
  const T near = turned + turned * square * polynomial(square, kCoefficients);
  return select(x > kTanPiOver8, near + kPiOver4, near);
}
template <class T>
T atan(T x) {
  constexpr double kPiOver2 = 1.5707963267948966;
  const T size = abs(x);
  const T part = atan_of_unit(select(size > 1, 1 / size, size));
  const T value = select(size > 1, kPiOver2 - part, part);
  return select(x < 0, -value, value);
}
template <class T>
T atan_gradient(T x, T /*y*/, T dy) {
  return dy / (1 + x * x);
}
}  // namespace scalar

/// The angle whose tangent is x, elementwise. Floating types.
///   atan({0.f, 1.f})  ->  {0, 0.7853982}
inline constinit const Elementwise atan{
    "atan", &scalar::atan<Scalar>, kFloating, {.gradient = &scalar::atan_gradient<Scalar>}};

}  // namespace alula
