#pragma once
#include <numbers>

#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
/// Minimax fits of our own, made with 50 digits. Between 1 and 8 the function is a quotient of
/// polynomials in x - 1 (digamma divided by its distance from its root, error 1.3e-17; its
/// derivative, 3.3e-18), above that what Stirling's series leaves out is one in 1/x^2. Below 1 the
/// recurrence leads there, and below 0 the reflection formula does.
inline constexpr double kGammaBorder = 8;

template <class T>
T digamma_from_1(T x) {
  constexpr double kTop[] = {
      1.250380137503405341,     2.0746166917340583007,    1.2787693412106248587,
      0.37551955330672909748,   0.055527900557983180144,  0.0039912404717044670873,
      0.0001222831240320288493, 1.1419825893023116542e-6, 5.6085918086560743938e-10};
  constexpr double kBottom[] = {1,
                                2.3427355925412438386,
                                2.0222823041320715027,
                                0.84426910522734896668,
                                0.18476963306190870913,
                                0.021218357264575261395,
                                0.0011994428196761499404,
                                0.000028516088755116445819,
                                1.9285403343684226853e-7};
  constexpr double kRest[] = {0.083333333333333333138,  -0.0083333333333317313474,
                              0.0039682539660682780142, -0.0041666655277700914254,
                              0.0075754647090559246607, -0.021051509495871230932,
                              0.080044219279906826753,  -0.29980598913438901902};
  // The root in two parts: what is left of x - root near it has all its digits.
  constexpr double kRoot = 1.46163177490234375, kRootRest = 3.7006601859126265954e-7;
  const T near = min(x, kGammaBorder), far = max(x, kGammaBorder);
  const T inner =
      (near - kRoot - kRootRest) * (polynomial(near - 1, kTop) / polynomial(near - 1, kBottom));
  const T w = 1 / (far * far);
  const T outer = log(far) - 0.5 / far - w * polynomial(w, kRest);
  return select(x < kGammaBorder, inner, outer);
}

template <class T>
T trigamma_from_1(T x) {
  constexpr double kTop[] = {1.6449340668482264297,  5.0632705658628838368,   6.7948250517228638113,
                             5.132924187425739039,   2.3574763214706721091,   0.659993531341797486,
                             0.10475938171002702892, 0.0073213380781789976157};
  constexpr double kBottom[] = {1,
                                4.5396253398106962138,
                                8.7916176076613619909,
                                9.5302655963769470515,
                                6.3622867176306359322,
                                2.6958979754542245948,
                                0.71298333397628100978,
                                0.10842005073836459696,
                                0.0073213380783800957407};
  constexpr double kRest[] = {0.16666666666666666334,  -0.033333333333306002563,
                              0.023809523772181744204, -0.033333313841992710613,
                              0.075752552137194423601, -0.25240298937346012192,
                              1.1097459477796874944,   -4.5823467921180567708};
  const T near = min(x, kGammaBorder), far = max(x, kGammaBorder);
  const T inner = polynomial(near - 1, kTop) / polynomial(near - 1, kBottom);
  const T v = 1 / far, w = v * v;
  const T outer = v + w * (0.5 + v * polynomial(w, kRest));
  return select(x < kGammaBorder, inner, outer);
}

/// The second derivative of lgamma.
template <class T>
T trigamma(T x) {
  const T mirrored = select(x < 0, 1 - x, x);
  const T small = select(mirrored < 1, mirrored, 1);
  const T positive = trigamma_from_1(select(mirrored < 1, mirrored + 1, mirrored)) +
                     select(mirrored < 1, 1 / (small * small), 0);
  const T sine = sin(std::numbers::pi * (x - round_to_even(x))) / std::numbers::pi;
  return select(x < 0, 1 / (sine * sine) - positive, positive);
}

template <class T>
T digamma(T x) {
  const T mirrored = select(x < 0, 1 - x, x);
  const T positive = digamma_from_1(select(mirrored < 1, mirrored + 1, mirrored)) -
                     select(mirrored < 1, 1 / mirrored, 0);
  const T off = x - round_to_even(x);
  const T finite =
      select(x < 0, positive - std::numbers::pi / tan(std::numbers::pi * off), positive);
  return select(x <= 0 && off == 0, std::numeric_limits<double>::quiet_NaN(), finite);
}

template <class T>
T digamma_gradient(T x, T /*y*/, T dy) {
  return dy * trigamma(x);
}
}  // namespace scalar

/// The derivative of lgamma, elementwise; NaN of 0 and of negative integers. Floating types.
///   digamma({1.f, 2.5f})  ->  {-0.5772157, 0.7031566}
inline constinit const Elementwise digamma{"digamma",
                                           &scalar::digamma<Scalar>,
                                           kFloating,
                                           {.gradient = &scalar::digamma_gradient<Scalar>}};

}  // namespace alula
