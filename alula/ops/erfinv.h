#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
/// Minimax fits of our own, made with 50 digits: in x^2 where |x| is below 13/16 (error 6.5e-18),
/// and in sqrt(-log(1 - |x|)) above (error 1.3e-16), both shifted so that all coefficients are
/// positive.
inline constexpr double kErfinvLimit = 0.8125;

template <class T>
T erfinv_inner(T x) {
  constexpr double kTop[] = {1.1470454685059656422, 9.506395100357764413,   29.892936115748197255,
                             44.617062729148599424, 32.35030058026292102,   10.423546290147408415,
                             1.1593808464423666852, 0.019854853087176973019};
  constexpr double kBottom[] = {1,
                                8.9251058415074082208,
                                30.783911969063682697,
                                51.769865392399006494,
                                44.102048608980410874,
                                17.945230299843505616,
                                2.9278164637692286899,
                                0.12115854409337646084};
  const T z = kErfinvLimit * kErfinvLimit - x * x;
  return x * (polynomial(z, kTop) / polynomial(z, kBottom));
}

/// The value for a result of erf at a distance of exp(-root^2) from 1.
template <class T>
T erfinv_outer(T root) {
  constexpr double kTop[] = {
      0.8871607306785288808,   3.1754807728512124168,    4.7768876456752827405,
      3.8952618656392125538,   1.8397966874375330914,    0.49506710884021467616,
      0.069608271155359580259, 0.0043383323903286136819, 0.000084489522433436573607};
  constexpr double kBottom[] = {1,
                                2.4293405177389268723,
                                2.527229998042558449,
                                1.39663549432698657,
                                0.42221593139531788008,
                                0.064541642131021942461,
                                0.0042331926580352494606,
                                0.000084487326211982917192};
  const T z = root - 1.25;
  return polynomial(z, kTop) / polynomial(z, kBottom);
}

template <class T>
T erfinv(T x) {
  const T magnitude = abs(x);
  const T large = erfinv_outer(sqrt(-log(1 - magnitude)));
  const T finite = select(magnitude < kErfinvLimit, erfinv_inner(x), select(x < 0, -large, large));
  return select(magnitude == 1, x * std::numeric_limits<double>::infinity(), finite);
}

template <class T>
T erfinv_gradient(T /*x*/, T y, T dy) {
  constexpr double kHalfSqrtPi = 0.88622692545275801365;
  return dy * (kHalfSqrtPi * exp(y * y));
}
}  // namespace scalar

/// The inverse of erf, elementwise; infinite of -1 and 1, NaN beyond. Floating types.
///   erfinv({0.f, 0.5f, -1.f})  ->  {0, 0.47693628, -inf}
inline constinit const Elementwise erfinv{
    "erfinv", &scalar::erfinv<Scalar>, kFloating, {.gradient = &scalar::erfinv_gradient<Scalar>}};

}  // namespace alula
