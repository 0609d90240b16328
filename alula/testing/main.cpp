// The main function of all test programs.
#include <gtest/gtest.h>

#include "alula/testing/gpu_run.h"

int main(int count, char** arguments) {
  ::testing::InitGoogleTest(&count, arguments);
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  if (const int status = alula::testing::begin_gpu_run()) return status;
  return alula::testing::end_gpu_run(RUN_ALL_TESTS());
}
