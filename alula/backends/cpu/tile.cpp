#include "alula/backends/cpu/tile.h"

#include <algorithm>
#include <cstring>
#include <utility>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace alula::cpu {
namespace {

// Vectors of 128 bits, which every machine has, are enough: memory sets the pace.
template <class T>
using Vector __attribute__((vector_size(16))) = T;

constexpr int kLine = 64;

/// a0 b0 a1 b1 …: of the lower halves, or of the upper ones.
template <bool kUpper, class T, int... I>
Vector<T> interleave(Vector<T> a, Vector<T> b, std::integer_sequence<int, I...>) {
  constexpr int N = sizeof...(I);
  return __builtin_shufflevector(a, b, (I / 2 + (kUpper ? N / 2 : 0) + (I % 2) * N)...);
}

/// Transposes a square of 16 bytes a side in registers. Interleaving row i with row i + N/2, for
/// all i and log2(N) times over, sorts the elements by columns.
template <class T>
[[gnu::always_inline]] inline void transpose_square(const std::byte* from, int64_t from_step,
                                                    std::byte* to) {
  constexpr int N = 16 / sizeof(T);
  constexpr std::make_integer_sequence<int, N> kLanes;
  Vector<T> rows[N], mixed[N];
  for (int i = 0; i < N; ++i) std::memcpy(&rows[i], from + i * from_step, 16);
  for (int n = N; n > 1; n /= 2) {
    for (int i = 0; i < N / 2; ++i) {
      mixed[2 * i] = interleave<false, T>(rows[i], rows[i + N / 2], kLanes);
      mixed[2 * i + 1] = interleave<true, T>(rows[i], rows[i + N / 2], kLanes);
    }
    for (int i = 0; i < N; ++i) rows[i] = mixed[i];
  }
  for (int i = 0; i < N; ++i) std::memcpy(to + i * kLine, &rows[i], 16);
}

/// Writes a cache line past the caches. Both addresses are aligned to it.
void stream_line(std::byte* to, const std::byte* line) {
#if defined(__SSE2__)
  for (int i = 0; i < kLine; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(line + i)));
#else
  std::memcpy(to, line, kLine);
#endif
}

/// Makes streamed lines visible to other threads before anything written later.
void finish_stream() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Transposes one tile. It is put together in a buffer, so that both sides see whole lines, each
/// once: rows that are a power of two apart would otherwise throw each other out of the cache.
template <class T>
void transpose_tile(const Block& block, const std::byte* from, std::byte* to, bool stream) {
  constexpr int W = sizeof(T), kSide = kLine / W, N = 16 / W;
  alignas(kLine) std::byte lines[kSide * kLine];
  for (int c = 0; c < kSide; c += N)
    for (int a = 0; a < kSide; a += N)
      transpose_square<T>(from + c * block.from_step + a * W, block.from_step,
                          lines + a * kLine + c * W);
  for (int a = 0; a < kSide; ++a) {
    const std::byte* line = lines + a * kLine;
    std::byte* out = to + a * block.to_step;
    if (stream)
      stream_line(out, line);
    else
      std::memcpy(out, line, kLine);
  }
}

/// Element by element, for blocks too narrow for a tile.
template <int W>
void transpose_plainly(const Block& block) {
  for (int64_t a = 0; a < block.along; ++a)
    for (int64_t c = 0; c < block.across; ++c)
      std::memcpy(block.to + a * block.to_step + c * W, block.from + c * block.from_step + a * W,
                  W);
}

/// The last tile of a row or column ends with it: where the sizes are no multiples of a tile's, it
/// writes some elements again, which is faster than writing the rest one by one.
template <class T>
void transpose_by_tiles(const Block& block) {
  constexpr int W = sizeof(T), kSide = kLine / W;
  if (block.along < kSide || block.across < kSide) return transpose_plainly<W>(block);
  const bool stream = block.stream && block.to_step % kLine == 0 &&
                      reinterpret_cast<uintptr_t>(block.to) % kLine == 0;
  for (int64_t i = 0; i < block.across; i += kSide)
    for (int64_t j = 0; j < block.along; j += kSide) {
      const int64_t c = std::min(i, block.across - kSide), a = std::min(j, block.along - kSide);
      transpose_tile<T>(block, block.from + c * block.from_step + a * W,
                        block.to + a * block.to_step + c * W, stream && c == i);
    }
  if (stream) finish_stream();
}

}  // namespace

void transpose_block(const Block& block) {
  switch (block.width) {
    case 1: return transpose_by_tiles<uint8_t>(block);
    case 2: return transpose_by_tiles<uint16_t>(block);
    case 4: return transpose_by_tiles<uint32_t>(block);
    case 8: return transpose_by_tiles<uint64_t>(block);
    default: return transpose_plainly<16>(block);
  }
}

}  // namespace alula::cpu
