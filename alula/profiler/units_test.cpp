#include "alula/profiler/units.h"

#include <gtest/gtest.h>

using namespace alula::profiler;

TEST(Units, OfTime) {
  EXPECT_EQ(time_text(0), "0 ns");
  EXPECT_EQ(time_text(640e-9), "640 ns");
  EXPECT_EQ(time_text(999.6e-9), "1.00 us");
  EXPECT_EQ(time_text(12.34e-6), "12.3 us");
  EXPECT_EQ(time_text(123.4e-6), "123 us");
  EXPECT_EQ(time_text(999.7e-6), "1.00 ms");
  EXPECT_EQ(time_text(0.9996), "1.00 s");
  EXPECT_EQ(time_text(99.96), "100 s");
  EXPECT_EQ(time_text(4000), "4000 s");
}

TEST(Units, OfBytes) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1.00 KiB");
  EXPECT_EQ(bytes_text(1536 * 1024), "1.50 MiB");
  EXPECT_EQ(bytes_text((int64_t{1} << 30) - 1), "1.00 GiB");
  EXPECT_EQ(bytes_text(int64_t{1} << 50), "1.00 PiB");
  EXPECT_EQ(bytes_text(INT64_MAX), "8.00 EiB");
}
