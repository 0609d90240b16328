#include "alula/io/idx.h"

#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return alula::fuzz::parse(
      data, size, [](std::string_view bytes) { alula::io::parse_idx(bytes, "fuzz.idx"); });
}
