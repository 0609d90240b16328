#include "alula/io/npy.h"

#include "fuzz/fuzz.h"

using namespace alula;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::parse(data, size, [](std::string_view bytes) {
    const Tensor tensor = io::parse_npy(bytes, "fuzz.npy");
    // What was read can be written, and reads the same again.
    const io::NpyParts parts = io::npy_parts(tensor);
    const std::string again = parts.head + std::string(parts.body());
    const Tensor copy = io::parse_npy(again, "again");
    fuzz::check(copy.spec() == tensor.spec());
    fuzz::check(io::npy_parts(copy).body() == parts.body());
  });
}
