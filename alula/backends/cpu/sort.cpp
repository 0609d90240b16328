#include "alula/ops/sort.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <hwy/contrib/sort/vqsort.h>

#include "alula/backends/cpu/along_axis.h"
#include "alula/backends/cpu/sort_keys.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

/// Below this many elements the standard library's sort is as fast as Highway's.
constexpr int64_t kFew = 32;

template <class K>
void sort_with_vectors(K* keys, int64_t n) {
  static thread_local const hwy::Sorter sorter;
  if (n < kFew)
    std::sort(keys, keys + n);
  else
    sorter(keys, static_cast<size_t>(n), hwy::SortAscending());
}

}  // namespace

void sort_keys(uint8_t* keys, int64_t n) {
  if (n < kFew) return std::sort(keys, keys + n);
  std::array<int64_t, 256> counts{};
  for (int64_t i = 0; i < n; ++i) ++counts[keys[i]];
  for (size_t value = 0; value < counts.size(); ++value) {
    std::memset(keys, static_cast<int>(value), counts[value]);
    keys += counts[value];
  }
}
void sort_keys(uint16_t* keys, int64_t n) { sort_with_vectors(keys, n); }
void sort_keys(uint32_t* keys, int64_t n) {
  // Highway's sort of 32-bit keys writes compressed vectors to memory, which takes some processors
  // (Zen 4) so long that its sort of 64-bit ones is up to four times faster.
  constexpr int64_t kMany = 512;
  if (n < kMany) return sort_with_vectors(keys, n);
  const Scratch<uint64_t> wide(n);
  std::copy_n(keys, n, wide.data());
  sort_with_vectors(wide.data(), n);
  for (int64_t i = 0; i < n; ++i) keys[i] = static_cast<uint32_t>(wide.data()[i]);
}
void sort_keys(uint64_t* keys, int64_t n) { sort_with_vectors(keys, n); }
void sort_keys(Wide128* keys, int64_t n) { std::sort(keys, keys + n); }

namespace {

/// Calls `body(first, stride, room)` for each row along the axis, with room for `length` of `Item`.
template <class Item, class Body>
void for_each_row(const AlongAxis& shape, const Body& body) {
  team::parallel_for(shape.outer * shape.inner, 10.0 * static_cast<double>(shape.length),
                     [&](int64_t begin, int64_t end) {
                       const Scratch<Item> room(shape.length);
                       for (int64_t i = begin; i < end; ++i)
                         body(i / shape.inner * shape.length * shape.inner + i % shape.inner,
                              shape.inner, room.data());
                     });
}

template <class T>
void sort_all(const AlongAxis& shape, bool descending, const T* values, T* out) {
  for_each_row<Key<T>>(shape, [&](int64_t first, int64_t stride, Key<T>* keys) {
    for (int64_t i = 0; i < shape.length; ++i)
      keys[i] = to_key(values[first + i * stride], descending);
    sort_keys(keys, shape.length);
    for (int64_t i = 0; i < shape.length; ++i)
      out[first + i * stride] = from_key<T>(keys[i], descending);
  });
}

template <class T>
void argsort_all(const AlongAxis& shape, bool descending, const T* values, int32_t* out) {
  for_each_row<Ranked<T>>(shape, [&](int64_t first, int64_t stride, Ranked<T>* ranked) {
    for (int64_t i = 0; i < shape.length; ++i)
      ranked[i] = to_ranked(values[first + i * stride], i, descending);
    sort_keys(ranked, shape.length);
    for (int64_t i = 0; i < shape.length; ++i) out[first + i * stride] = position_of(ranked[i]);
  });
}

template <class Body>
void with_rows(const SortOptions& options, const KernelCall& call, const Body& body) {
  const View& values = call.inputs[0];
  if (values.size() == 0) return;
  const AlongAxis shape(values.shape(), options.axis);
  const bool descending = options.direction == SortDirection::kDescending;
  with_type(values.dtype(), [&]<class T>(Type<T>) {
    if constexpr (!std::is_same_v<T, bool>) body(shape, descending, values.as<const T>());
  });
}

const RegisterKernel<DeviceType::kCPU, Sort> sort_registered{
    [](const Sort& op, const KernelCall& call) {
      with_rows(op, call, [&]<class T>(const AlongAxis& shape, bool descending, const T* values) {
        sort_all(shape, descending, values, call.outputs[0].as<T>());
      });
    }};
const RegisterKernel<DeviceType::kCPU, ArgSort> argsort_registered{
    [](const ArgSort& op, const KernelCall& call) {
      with_rows(op, call, [&]<class T>(const AlongAxis& shape, bool descending, const T* values) {
        argsort_all(shape, descending, values, call.outputs[0].as<int32_t>());
      });
    }};

}  // namespace
}  // namespace alula::cpu
