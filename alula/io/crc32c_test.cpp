#include "alula/io/crc32c.h"

#include <numeric>
#include <string>

#include <gtest/gtest.h>

using namespace alula::io;

TEST(Crc32c, HasItsKnownValues) {
  // The examples of RFC 3720, appendix B.4.
  std::string rising(32, '\0');
  std::iota(rising.begin(), rising.end(), '\0');
  const std::string falling(rising.rbegin(), rising.rend());
  for (const auto f : {&crc32c, &crc32c_by_table}) {
    EXPECT_EQ(f(""), 0u);
    EXPECT_EQ(f("123456789"), 0xe3069283u);
    EXPECT_EQ(f(std::string(32, '\0')), 0x8a9136aau);
    EXPECT_EQ(f(std::string(32, '\xff')), 0x62a8ab43u);
    EXPECT_EQ(f(rising), 0x46dd794eu);
    EXPECT_EQ(f(falling), 0x113fdb5cu);
  }
}

TEST(Crc32c, IsTheSameByTableAndByInstruction) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(crc32c(bytes), crc32c_by_table(bytes)) << i;
    bytes += static_cast<char>(i * 73 + i / 5);
  }
  for (size_t offset = 0; offset < 16; ++offset) {
    const std::string_view part = std::string_view(bytes).substr(offset);
    EXPECT_EQ(crc32c(part), crc32c_by_table(part));
  }
}

TEST(Crc32c, IsMasked) {
  EXPECT_EQ(masked(0), 0xa282ead8u);
  EXPECT_EQ(masked(0xe3069283u), 0xc78ab0e5u);
}
