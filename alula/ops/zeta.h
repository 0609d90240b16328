#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
/// Ten terms of the sum, and the rest by the formula of Euler and Maclaurin.
template <class T>
T zeta(T x, T q) {
  // Bernoulli's number B(2j), divided by (2j)!.
  constexpr double kWeights[] = {1. / 12,
                                 -1. / 720,
                                 1. / 30240,
                                 -1. / 1209600,
                                 1. / 47900160,
                                 -691. / 1307674368000,
                                 1. / 74724249600,
                                 -3617. / 10670622842880000,
                                 43867. / 5109094217170944000};
  constexpr int kTerms = 10;
  // Where the sum does not exist it is taken elsewhere, so that no NaN gets into gradients.
  const T from = select(q <= 0, 1, q), s = min(select(x <= 1, 2, x), 1e30);
  T sum = pow(from, -s);
  for (int i = 1; i < kTerms; ++i) sum = sum + pow(from + i, -s);
  const T end = from + kTerms;
  T term = pow(end, -s);
  sum = sum + term * (end / (s - 1)) + 0.5 * term;
  term = term * (s / end);
  for (int j = 0; j < 9; ++j) {
    sum = sum + kWeights[j] * term;
    term = term * ((s + (2 * j + 1)) / end) * ((s + (2 * j + 2)) / end);
  }
  const T infinity = constant_like(x, std::numeric_limits<double>::infinity());
  const T nan = constant_like(x, std::numeric_limits<double>::quiet_NaN());
  const T of_negative = select(q == floor(q), infinity, nan);
  return select(x < 1, nan, select(x == 1, infinity, select(q <= 0, of_negative, sum)));
}
}  // namespace scalar

/// The sum of (q + k)^-x over k = 0, 1, … (Hurwitz's zeta function; Riemann's for q = 1),
/// elementwise with broadcasting. Infinite for x = 1 and where q is 0 or a negative integer; NaN
/// for x below 1 and other negative q. Floating types.
///   zeta({2.f, 3.f}, {1.f, 2.f})  ->  {1.644934, 0.2020569}
inline constinit const Elementwise zeta{"zeta", &scalar::zeta<Scalar>, kFloating};

}  // namespace alula
