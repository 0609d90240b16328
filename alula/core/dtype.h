#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "alula/core/format.h"
#include "alula/core/half.h"

namespace alula {

/// What the elements of a tensor are. The names are TensorFlow's.
enum class DType : uint8_t {
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kBool,
  kString,  // on the host only
};

inline constexpr int kDTypeCount = 14;

inline constexpr DType float16 = DType::kFloat16;
inline constexpr DType bfloat16 = DType::kBFloat16;
inline constexpr DType float32 = DType::kFloat32;
inline constexpr DType float64 = DType::kFloat64;
inline constexpr DType int8 = DType::kInt8;
inline constexpr DType int16 = DType::kInt16;
inline constexpr DType int32 = DType::kInt32;
inline constexpr DType int64 = DType::kInt64;
inline constexpr DType uint8 = DType::kUInt8;
inline constexpr DType uint16 = DType::kUInt16;
inline constexpr DType uint32 = DType::kUInt32;
inline constexpr DType uint64 = DType::kUInt64;
inline constexpr DType boolean = DType::kBool;
inline constexpr DType string = DType::kString;

/// Bytes an element. A string counts as its std::string object.
constexpr size_t size_of(DType dtype) {
  constexpr uint8_t kSizes[kDTypeCount] = {2, 2, 4, 8, 1, 2, 4,
                                           8, 1, 2, 4, 8, 1, sizeof(std::string)};
  return kSizes[static_cast<int>(dtype)];
}

/// "float32", "bool", …
std::string_view name_of(DType dtype);
inline std::string_view to_string(DType dtype) { return name_of(dtype); }

/// The dtype of that name ("float32", "half", "bool", …), or an InvalidArgumentError that lists
/// them.
DType dtype_from(std::string_view name);

/// A set of dtypes: what an op takes.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(DType dtype) : bits_(1u << static_cast<int>(dtype)) {}
  constexpr DTypeSet(std::initializer_list<DType> dtypes) {
    for (DType dtype : dtypes) bits_ |= 1u << static_cast<int>(dtype);
  }
  constexpr bool contains(DType dtype) const { return (bits_ >> static_cast<int>(dtype)) & 1; }
  constexpr DTypeSet operator|(DTypeSet other) const { return from_bits(bits_ | other.bits_); }
  constexpr DTypeSet operator-(DTypeSet other) const { return from_bits(bits_ & ~other.bits_); }
  constexpr bool operator==(const DTypeSet&) const = default;

 private:
  static constexpr DTypeSet from_bits(uint32_t bits) {
    DTypeSet set;
    set.bits_ = bits;
    return set;
  }
  uint32_t bits_ = 0;
};

inline constexpr DTypeSet kFloating{float16, bfloat16, float32, float64};
inline constexpr DTypeSet kSignedIntegers{int8, int16, int32, int64};
inline constexpr DTypeSet kUnsignedIntegers{uint8, uint16, uint32, uint64};
inline constexpr DTypeSet kIntegers = kSignedIntegers | kUnsignedIntegers;
inline constexpr DTypeSet kSigned = kFloating | kSignedIntegers;
inline constexpr DTypeSet kNumeric = kFloating | kIntegers;
inline constexpr DTypeSet kNumericOrBool = kNumeric | DTypeSet{boolean};
inline constexpr DTypeSet kAnyType = kNumericOrBool | DTypeSet{string};

constexpr bool is_floating(DType dtype) { return kFloating.contains(dtype); }
constexpr bool is_integer(DType dtype) { return kIntegers.contains(dtype); }
constexpr bool is_half(DType dtype) { return dtype == float16 || dtype == bfloat16; }

/// "float32, int32": the members, in the order of DType.
std::string to_string(DTypeSet set);

/// The DType of a C++ type: dtype_of<float> is float32.
template <class T>
inline constexpr DType dtype_of = [] { static_assert(!sizeof(T), "not an element type"); }();
template <>
inline constexpr DType dtype_of<Half> = float16;
template <>
inline constexpr DType dtype_of<BFloat16> = bfloat16;
template <>
inline constexpr DType dtype_of<float> = float32;
template <>
inline constexpr DType dtype_of<double> = float64;
template <>
inline constexpr DType dtype_of<int8_t> = int8;
template <>
inline constexpr DType dtype_of<int16_t> = int16;
template <>
inline constexpr DType dtype_of<int32_t> = int32;
template <>
inline constexpr DType dtype_of<int64_t> = int64;
template <>
inline constexpr DType dtype_of<long long> = int64;
template <>
inline constexpr DType dtype_of<uint8_t> = uint8;
template <>
inline constexpr DType dtype_of<uint16_t> = uint16;
template <>
inline constexpr DType dtype_of<uint32_t> = uint32;
template <>
inline constexpr DType dtype_of<uint64_t> = uint64;
template <>
inline constexpr DType dtype_of<unsigned long long> = uint64;
template <>
inline constexpr DType dtype_of<bool> = boolean;
template <>
inline constexpr DType dtype_of<std::string> = string;

/// A C++ type as a value, so that a generic lambda can be called with it.
template <class T>
struct Type {
  using type = T;
};

/// Calls `f(Type<T>{})` with the C++ type of a numeric or bool dtype. The caller has checked that
/// it is one: a string is an internal error.
template <class F>
decltype(auto) with_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat16: return f(Type<Half>{});
    case DType::kBFloat16: return f(Type<BFloat16>{});
    case DType::kFloat32: return f(Type<float>{});
    case DType::kFloat64: return f(Type<double>{});
    case DType::kInt8: return f(Type<int8_t>{});
    case DType::kInt16: return f(Type<int16_t>{});
    case DType::kInt32: return f(Type<int32_t>{});
    case DType::kInt64: return f(Type<int64_t>{});
    case DType::kUInt8: return f(Type<uint8_t>{});
    case DType::kUInt16: return f(Type<uint16_t>{});
    case DType::kUInt32: return f(Type<uint32_t>{});
    case DType::kUInt64: return f(Type<uint64_t>{});
    case DType::kBool: return f(Type<bool>{});
    case DType::kString: break;
  }
  __builtin_unreachable();
}

}  // namespace alula

template <>
struct fmt::formatter<alula::DType> : alula::TextFormatter<alula::DType> {};

template <>
struct fmt::formatter<alula::DTypeSet> : alula::TextFormatter<alula::DTypeSet> {};
