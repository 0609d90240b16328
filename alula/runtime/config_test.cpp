#include <gtest/gtest.h>

#include "alula/runtime/devices.h"

using namespace alula;

TEST(Config, TensorFloat32IsOnUnlessSwitchedOff) {
  EXPECT_TRUE(config::tensor_float_32_execution_enabled());
  config::enable_tensor_float_32_execution(false);
  EXPECT_FALSE(config::tensor_float_32_execution_enabled());
  config::enable_tensor_float_32_execution(true);
  EXPECT_TRUE(config::tensor_float_32_execution_enabled());
}
