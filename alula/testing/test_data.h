#pragma once
#include <string>

namespace alula::testing {

/// A file that tests read, by its path in the folder tests/: that of the source tree, or of the
/// folder that ALULA_TEST_DATA names, on a machine that has no source tree.
///   test_data("keras_reference/layers.safetensors")
std::string test_data(const std::string& path);

}  // namespace alula::testing
