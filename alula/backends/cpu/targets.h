#pragma once
// The instruction sets that *_simd.cpp files are compiled for: the baseline, AVX2 and AVX-512. The
// others would cost build time and size, and gain little. Included before anything of Highway;
// older versions lack names for the last two.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | (1LL << 6) /* AVX3_ZEN4 */ | (1LL << 4) /* AVX3_SPR */)
