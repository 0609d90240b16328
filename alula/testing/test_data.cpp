#include "alula/testing/test_data.h"

#include <cstdlib>

namespace alula::testing {

std::string test_data(const std::string& path) {
  const char* named = std::getenv("ALULA_TEST_DATA");
  return (named != nullptr ? std::string(named) : ALULA_TESTS) + "/" + path;
}

}  // namespace alula::testing
