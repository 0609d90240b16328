#pragma once
#include <cstdint>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace alula {

/// While it lives, its thread flushes denormal results and operands to zero, as TensorFlow does: a
/// gradient that fades away must not slow its step down a hundredfold.
class FlushDenormals {
#if defined(__SSE__)
 public:
  FlushDenormals() : before_(_mm_getcsr()) {
    if ((before_ & kFlush) != kFlush) _mm_setcsr(before_ | kFlush);
  }
  ~FlushDenormals() {
    if ((before_ & kFlush) != kFlush) _mm_setcsr(before_);
  }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  static constexpr uint32_t kFlush = 0x8040;  // flush-to-zero and denormals-are-zero
  uint32_t before_;
#endif
};

}  // namespace alula
