#pragma once
#include "alula/ops/digamma.h"

namespace alula {

namespace scalar {
/// From 1 on: with its two zeros divided out, a quotient of polynomials in x - 1 up to 8 (a minimax
/// fit of our own, error 3.1e-17), and Stirling's series above.
template <class T>
T lgamma_from_1(T x) {
  constexpr double kTop[] = {0.57721566490153283961,   1.7873391697112562208,
                             2.1800962587037844959,    1.3385351080467660428,
                             0.44006448944692327836,   0.076588612709813032537,
                             0.0065855174212750281384, 0.00024088921149947733419,
                             2.6663348102258303823e-6, 1.7207511125535742972e-9};
  constexpr double kBottom[] = {1,
                                3.5213710608158386435,
                                5.0038196123346059836,
                                3.6962502274789543981,
                                1.5281022954808906009,
                                0.35604850109060775647,
                                0.04501740412723732727,
                                0.002829959012024907194,
                                0.000074477479244254587872,
                                5.5043622771799700428e-7};
  constexpr double kRest[] = {0.083333333333333332746,   -0.0027777777777740974194,
                              0.00079365078983401853687, -0.00059523660672274045549,
                              0.000841472821679618205,   -0.0018905383994139811254,
                              0.0050692160265125119017};
  constexpr double kHalfLog2Pi = 0.91893853320467274178;
  const T near = min(x, kGammaBorder) - 1, far = max(x, kGammaBorder);
  const T inner = near * (near - 1) * (polynomial(near, kTop) / polynomial(near, kBottom));
  const T v = 1 / far;
  // (x - 1/2) log(x) - x, in an order that overflows only where the result does.
  const T outer = (far - 0.5) * (log(far) - 1) + (kHalfLog2Pi - 0.5 + v * polynomial(v * v, kRest));
  return select(x < kGammaBorder, inner, outer);
}

template <class T>
T lgamma(T x) {
  const T mirrored = select(x < 0, 1 - x, x);
  const T positive = lgamma_from_1(select(mirrored < 1, mirrored + 1, mirrored)) +
                     select(mirrored < 1, -log(mirrored), 0);
  const T sine = abs(sin(std::numbers::pi * (x - round_to_even(x)))) / std::numbers::pi;
  const T finite = select(x < 0, -log(sine) - positive, positive);
  return select(abs(x) == std::numeric_limits<double>::infinity(), abs(x), finite);
}

template <class T>
T lgamma_gradient(T x, T /*y*/, T dy) {
  return dy * digamma(x);
}
}  // namespace scalar

/// The logarithm of the size of the gamma function, elementwise; infinite of 0 and of negative
/// integers. Floating types.
///   lgamma({1.f, 0.5f, 5.f})  ->  {0, 0.5723649, 3.1780539}
inline constinit const Elementwise lgamma{
    "lgamma", &scalar::lgamma<Scalar>, kFloating, {.gradient = &scalar::lgamma_gradient<Scalar>}};

}  // namespace alula
