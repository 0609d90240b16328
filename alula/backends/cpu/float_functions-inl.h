// The mathematical functions of float32, written once over an arithmetic `A` of vectors: Highway's
// in the interpreter's routines, that of the machine code compiler in fused programs. Both do the
// same steps, so that a fused chain has the very bits of one routine after the other. Included
// within a namespace, once for each instruction set, so there is no include guard.
//
// A has the types F (floats), I (their bits, as int32) and M (one truth value a lane), and
//   constant(c), integer(i), add, sub, mul, div, mul_add(a, b, c) = a * b + c,
//   min, max: the second operand if one is NaN,
//   abs, copy_sign(magnitude, sign), flip_sign(x, i): by the highest bit of i,
//   less, less_equal, select(m, a, b),
//   bits(x), floats(i), add_bits, sub_bits, shift_left<n>, shift_right<n> (with the sign),
//   from_integer(i), scale(x, n) = x * 2^n for a whole n between -250 and 250.
//
// The polynomials are minimax fits of our own, made with 50 digits.

/// The polynomial with these coefficients, the constant first.
template <class A, size_t kCount>
typename A::F float_polynomial(const A& a, typename A::F x, const float (&coefficients)[kCount]) {
  auto sum = a.constant(coefficients[kCount - 1]);
  for (size_t i = kCount - 1; i-- > 0;) sum = a.mul_add(sum, x, a.constant(coefficients[i]));
  return sum;
}

/// x = n ln 2 + r with |r| <= ln 2 / 2: the whole n, and e^r - 1.
template <class A>
struct ReducedExp {
  typename A::F n, minus_one;

  /// x must lie between -110 and 110, or be NaN.
  ReducedExp(const A& a, typename A::F x)
      : n(a.sub(a.mul_add(x, a.constant(1.44269504f), a.constant(kRound)), a.constant(kRound))),
        minus_one(n) {
    // The first part of ln 2 has few digits: its product with n is exact.
    auto r = a.mul_add(n, a.constant(-0.693359375f), x);
    r = a.mul_add(n, a.constant(2.12194440054691e-4f), r);
    minus_one = a.mul_add(a.mul(r, r), float_polynomial(a, r, kCoefficients), r);
  }

  /// Added and subtracted again, it leaves no digits behind the point.
  static constexpr float kRound = 12582912;
  /// (e^r - 1 - r) / r^2; error 1.4e-8 of e^r - 1.
  static constexpr float kCoefficients[] = {0.500000006233f, 0.166665425455f, 0.0416662804726f,
                                            0.00836664397998f, 0.00139465637389f};
};

template <class A>
typename A::F float_exp(const A& a, typename A::F x) {
  const auto bounded = a.max(a.constant(-104), a.min(a.constant(104), x));
  const ReducedExp<A> reduced(a, bounded);
  return a.scale(a.add(reduced.minus_one, a.constant(1)), reduced.n);
}

/// For x that is not negative and at most 88, or NaN.
template <class A>
typename A::F float_positive_expm1(const A& a, typename A::F x) {
  const ReducedExp<A> reduced(a, x);
  const auto power = a.scale(a.constant(1), reduced.n);
  return a.mul_add(reduced.minus_one, power, a.sub(power, a.constant(1)));
}

template <class A>
typename A::F float_expm1(const A& a, typename A::F x) {
  const auto bounded = a.max(a.constant(-30), a.min(a.constant(89), x));
  const ReducedExp<A> reduced(a, bounded);
  // Half of it, since 2^n itself may be too large.
  const auto power = a.scale(a.constant(0.5f), reduced.n);
  const auto half = a.mul_add(reduced.minus_one, power, a.sub(power, a.constant(0.5f)));
  return a.select(a.less(a.abs(x), a.constant(1e-8f)), x, a.add(half, half));
}

template <class A>
typename A::F float_tanh(const A& a, typename A::F x) {
  const auto magnitude = a.min(a.constant(10), a.abs(x));  // from 9.02 on it is 1
  const auto y = float_positive_expm1(a, a.add(magnitude, magnitude));
  return a.copy_sign(a.div(y, a.add(y, a.constant(2))), x);
}

/// The logarithm of (1 + f) 2^e, for 1 + f from sqrt(1/2) to sqrt(2).
template <class A>
typename A::F float_log_of_parts(const A& a, typename A::F f, typename A::F e) {
  /// (log(1 + f) - f + f^2 / 2) / f^3; error 5.9e-9 of the logarithm.
  static constexpr float kCoefficients[] = {0.33333331706f,   -0.250008215868f, 0.200012276655f,
                                            -0.166233365421f, 0.142017213808f,  -0.131603629271f,
                                            0.127619490846f,  -0.0763447507212f};
  const auto squared = a.mul(f, f);
  auto rest = a.mul(float_polynomial(a, f, kCoefficients), a.mul(f, squared));
  rest = a.mul_add(e, a.constant(-2.12194440054691e-4f), rest);
  rest = a.mul_add(squared, a.constant(-0.5f), rest);
  return a.mul_add(e, a.constant(0.693359375f), a.add(f, rest));
}

/// The logarithm's value where its argument is no positive, normal number, else `y`. Denormal
/// numbers count as 0.
template <class A>
typename A::F float_log_or_special(const A& a, typename A::F x, typename A::F y) {
  constexpr float kSmallest = 1.17549435e-38f, kInfinity = std::numeric_limits<float>::infinity();
  const auto of_none = a.select(a.less(a.constant(-kSmallest), x), a.constant(-kInfinity),
                                a.constant(std::numeric_limits<float>::quiet_NaN()));
  y = a.select(a.less(x, a.constant(kSmallest)), of_none, y);
  return a.select(a.less(x, a.constant(kInfinity)), y, x);
}

inline constexpr int32_t kSqrtHalfBits = 0x3f3504f3, kOneBits = 0x3f800000;

template <class A>
typename A::F float_log(const A& a, typename A::F x) {
  const auto bits = a.bits(x);
  const auto e = a.template shift_right<23>(a.sub_bits(bits, a.integer(kSqrtHalfBits)));
  const auto mantissa = a.floats(a.sub_bits(bits, a.template shift_left<23>(e)));
  const auto y = float_log_of_parts(a, a.sub(mantissa, a.constant(1)), a.from_integer(e));
  return float_log_or_special(a, x, y);
}

template <class A>
typename A::F float_log1p(const A& a, typename A::F x) {
  const auto sum = a.add(x, a.constant(1));
  const auto e = a.template shift_right<23>(a.sub_bits(a.bits(sum), a.integer(kSqrtHalfBits)));
  // (1 + x) / 2^e - 1, from x itself: what the sum has lost is in it. 2^-e can be too small to be
  // a number; four times of it cannot.
  const auto fourfold =
      a.floats(a.sub_bits(a.integer(kOneBits + (2 << 23)), a.template shift_left<23>(e)));
  const auto quarter = a.constant(0.25f);
  const auto f =
      a.mul_add(a.mul(x, quarter), fourfold, a.mul_add(fourfold, quarter, a.constant(-1)));
  const auto y = float_log_or_special(a, sum, float_log_of_parts(a, f, a.from_integer(e)));
  return a.select(a.less(a.abs(x), a.constant(1e-8f)), x, y);
}

/// The sine of x - n pi, for an n that leaves at most pi / 2 of it.
template <class A>
typename A::F float_sin_of_rest(const A& a, typename A::F x, typename A::F n) {
  /// (sin(r) - r) / r^3 as a function of r^2; error 6.1e-9 of the sine.
  static constexpr float kCoefficients[] = {-0.166666595212f, 0.00833306543179f, -0.00019809539091f,
                                            2.60563135629e-6f};
  // Pi in parts whose products with n are exact.
  static constexpr float kPi[] = {3.140625f, 0.0009670257568359375f, 6.2771141529083251953e-7f,
                                  1.2154201256553420762e-10f};
  for (float part : kPi) x = a.mul_add(n, a.constant(-part), x);
  const auto squared = a.mul(x, x);
  return a.mul_add(float_polynomial(a, squared, kCoefficients), a.mul(squared, x), x);
}

/// For |x| up to kLargestAngle.
inline constexpr float kLargestAngle = 39000;
inline constexpr float kOneOverPi = 0.318309886f;

template <class A>
typename A::F float_sin(const A& a, typename A::F x) {
  const auto round = a.constant(ReducedExp<A>::kRound);
  const auto rounded = a.mul_add(x, a.constant(kOneOverPi), round);
  const auto sine = float_sin_of_rest(a, x, a.sub(rounded, round));
  return a.flip_sign(sine, a.template shift_left<31>(a.bits(rounded)));
}

template <class A>
typename A::F float_cos(const A& a, typename A::F x) {
  const auto round = a.constant(ReducedExp<A>::kRound);
  const auto half = a.constant(0.5f);
  const auto rounded = a.add(a.mul_add(x, a.constant(kOneOverPi), half), round);
  const auto sine = float_sin_of_rest(a, x, a.sub(a.sub(rounded, round), half));
  return a.flip_sign(sine, a.template shift_left<31>(a.bits(rounded)));
}

template <class A>
typename A::F float_tan(const A& a, typename A::F x) {
  return a.div(float_sin(a, x), float_cos(a, x));
}

template <class A>
typename A::F float_erf(const A& a, typename A::F x) {
  /// erf(x) / x as a function of x^2 up to 1; error 1.2e-9.
  static constexpr float kSmall[] = {1.12837916572f,    -0.376126257694f,  0.112835845297f,
                                     -0.0268537863625f, 0.00518827981908f, -0.000800977968629f,
                                     7.85251591517e-5f};
  /// (1 - erf(x))^(-1/8) for x from 1 to 3.95, where erf has become 1; error 1.2e-8 of erf.
  static constexpr float kLarge[] = {0.996586274687f,    0.158764810602f,   0.0502603543204f,
                                     0.0728652305318f,   -0.0325007137925f, 0.0175604663614f,
                                     -0.00396491767901f, 0.000540600034204f};
  const auto one = a.constant(1);
  const auto magnitude = a.min(a.constant(3.95f), a.abs(x));
  const auto small = a.mul(magnitude, float_polynomial(a, a.mul(magnitude, magnitude), kSmall));
  auto power = float_polynomial(a, magnitude, kLarge);
  for (int i = 0; i < 3; ++i) power = a.mul(power, power);
  const auto large = a.sub(one, a.div(one, power));
  return a.copy_sign(a.select(a.less(magnitude, one), small, large), x);
}
