#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "alula/core/half.h"

/// Elements as unsigned integers that sort like them, so that one sort serves all dtypes.
namespace alula::cpu {

template <class T>
using Key =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

template <class K>
inline constexpr K kSign = static_cast<K>(K{1} << (8 * sizeof(K) - 1));

/// In ascending or descending order; NaN has the largest key in both.
template <class T>
Key<T> to_key(T value, bool descending) {
  using K = Key<T>;
  const auto turn = static_cast<K>(descending ? ~K{0} : K{0});
  const K bits = std::bit_cast<K>(value);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<K>((std::is_signed_v<T> ? bits ^ kSign<K> : bits) ^ turn);
  } else {
    // Of negative numbers, those with larger bits are smaller.
    const auto key = static_cast<K>((bits & kSign<K>) != 0 ? ~bits : bits | kSign<K>);
    return value != value ? std::numeric_limits<K>::max() : static_cast<K>(key ^ turn);
  }
}

/// The element of a key; for the largest it is a NaN.
template <class T>
T from_key(Key<T> key, bool descending) {
  using K = Key<T>;
  const auto turned = static_cast<K>(descending ? ~key : key);
  if constexpr (std::is_integral_v<T>)
    return std::bit_cast<T>(static_cast<K>(std::is_signed_v<T> ? turned ^ kSign<K> : turned));
  else
    return std::bit_cast<T>(static_cast<K>((turned & kSign<K>) != 0 ? turned ^ kSign<K> : ~turned));
}

__extension__ using Wide128 = unsigned __int128;

/// A key with the element's position below it: all differ, and equal elements stay in order.
template <class T>
using Ranked = std::conditional_t<sizeof(T) == 8, Wide128, uint64_t>;

template <class T>
Ranked<T> to_ranked(T value, int64_t position, bool descending) {
  if constexpr (!std::is_integral_v<T>)
    if (value == 0) value = T{0};  // zeros of both signs are equal
  return static_cast<Ranked<T>>(to_key(value, descending)) << 32 | static_cast<Ranked<T>>(position);
}
template <class R>
int32_t position_of(R ranked) {
  return static_cast<int32_t>(static_cast<uint32_t>(ranked));
}

/// Sorts in ascending order.
void sort_keys(uint8_t* keys, int64_t n);
void sort_keys(uint16_t* keys, int64_t n);
void sort_keys(uint32_t* keys, int64_t n);
void sort_keys(uint64_t* keys, int64_t n);
void sort_keys(Wide128* keys, int64_t n);

}  // namespace alula::cpu
