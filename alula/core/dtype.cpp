#include "alula/core/dtype.h"

#include <array>

#include "alula/core/error.h"

namespace alula {
namespace {

constexpr std::array<std::string_view, kDTypeCount> kNames = {
    "float16", "bfloat16", "float32", "float64", "int8",   "int16", "int32",
    "int64",   "uint8",    "uint16",  "uint32",  "uint64", "bool",  "string"};

}  // namespace

std::string_view name_of(DType dtype) { return kNames[static_cast<int>(dtype)]; }

DType dtype_from(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (kNames[i] == name) return static_cast<DType>(i);
  if (name == "half") return float16;
  if (name == "float") return float32;
  if (name == "double") return float64;
  fail("dtype: there is none named \"{}\". Use one of {}.", name, to_string(kAnyType));
}

std::string to_string(DTypeSet set) {
  std::string text;
  for (int i = 0; i < kDTypeCount; ++i) {
    if (!set.contains(static_cast<DType>(i))) continue;
    if (!text.empty()) text += ", ";
    text += kNames[i];
  }
  return text;
}

}  // namespace alula
