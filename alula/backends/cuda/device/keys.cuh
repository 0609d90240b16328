// Elements as unsigned integers that sort like them, so that one sort serves all dtypes.

template <int kBytes>
struct KeyOfSize {
  typedef unsigned int Type;
};
template <>
struct KeyOfSize<8> {
  typedef unsigned long long Type;
};
template <class T>
using KeyOf = typename KeyOfSize<sizeof(T)>::Type;
// The bits of a key that are used.
template <class T>
constexpr KeyOf<T> kMask = (KeyOf<T>)(0xffffffffffffffffull >> (64 - 8 * sizeof(T)));
template <class T>
constexpr KeyOf<T> kSign = kMask<T> / 2 + 1;

DEVICE bool is_nan(float x) { return x != x; }
DEVICE bool is_nan(double x) { return x != x; }
DEVICE bool is_nan(Half x) { return to_float(x) != to_float(x); }
DEVICE bool is_nan(BFloat16 x) { return to_float(x) != to_float(x); }
DEVICE unsigned int bits_of(Half x) { return x.bits; }
DEVICE unsigned int bits_of(BFloat16 x) { return x.bits; }

// In ascending or descending order; NaN has the largest key in both.
template <class T>
DEVICE KeyOf<T> to_key(T x, bool descending) {
  const KeyOf<T> turn = descending ? kMask<T> : 0;
  if constexpr (is_float<T> || is_half<T>) {
    // Of negative numbers, those with larger bits are smaller.
    const KeyOf<T> bits = bits_of(x);
    const KeyOf<T> key = (bits & kSign<T>) != 0 ? ~bits & kMask<T> : bits | kSign<T>;
    return is_nan(x) ? kMask<T> : key ^ turn;
  } else {
    return ((KeyOf<T>)x & kMask<T>)^((T)-1 < (T)0 ? kSign<T> : 0) ^ turn;
  }
}

// The element of a key; for the largest it is a NaN.
template <class T>
DEVICE T from_key(KeyOf<T> key, bool descending) {
  const KeyOf<T> turned = descending ? ~key & kMask<T> : key;
  if constexpr (is_float<T> || is_half<T>) {
    const KeyOf<T> bits = (turned & kSign<T>) != 0 ? turned ^ kSign<T> : ~turned & kMask<T>;
    if constexpr (Same<T, float>::value)
      return float_of(bits);
    else if constexpr (Same<T, double>::value)
      return double_of(bits);
    else
      return T{(unsigned short)bits};
  } else {
    return (T)(turned ^ ((T)-1 < (T)0 ? kSign<T> : 0));
  }
}

// The key of an element whose position is kept beside: zeros of both signs are equal.
template <class T>
DEVICE KeyOf<T> to_equal_key(T x, bool descending) {
  const KeyOf<T> key = to_key(x, descending);
  if constexpr (is_float<T> || is_half<T>) {
    const KeyOf<T> zero = descending ? kMask<T> ^ kSign<T> : kSign<T>;
    const KeyOf<T> minus_zero = descending ? kSign<T> : kMask<T> ^ kSign<T>;
    return key == minus_zero ? zero : key;
  } else {
    return key;
  }
}

// A key with the element's position below it: all differ, and equal elements stay in order.
struct WideRanked {
  unsigned long long key;
  unsigned long long at;
  __device__ __forceinline__ bool operator<(const WideRanked& other) const {
    return key < other.key || (key == other.key && at < other.at);
  }
};
template <class Key>
struct RankedOf {
  typedef unsigned long long Type;
};
template <>
struct RankedOf<unsigned long long> {
  typedef WideRanked Type;
};
template <class T>
using Ranked = typename RankedOf<KeyOf<T>>::Type;

DEVICE unsigned long long rank(unsigned int key, unsigned int at) {
  return (unsigned long long)key << 32 | at;
}
DEVICE WideRanked rank(unsigned long long key, unsigned int at) { return {key, at}; }
DEVICE unsigned int position_of(unsigned long long ranked) { return (unsigned int)ranked; }
DEVICE unsigned int position_of(const WideRanked& ranked) { return (unsigned int)ranked.at; }

// What comes behind all others.
DEVICE void set_last(unsigned int& item) { item = 0xffffffffu; }
DEVICE void set_last(unsigned long long& item) { item = 0xffffffffffffffffull; }
DEVICE void set_last(WideRanked& item) { item = {0xffffffffffffffffull, 0xffffffffffffffffull}; }
