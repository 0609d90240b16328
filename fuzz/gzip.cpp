#include "alula/io/gzip.h"

#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return alula::fuzz::parse(data, size, [](std::string_view bytes) {
    alula::io::gunzip(bytes, {.limit = uint64_t{8} << 20, .name = "fuzz.gz"});
  });
}
