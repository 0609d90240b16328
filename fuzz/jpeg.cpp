#include "alula/io/jpeg.h"

#include "fuzz/fuzz.h"

using namespace alula;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::parse(data, size, [](std::string_view bytes) {
    const io::DecodeJpegOptions ways[] = {{},
                                          {.channels = 1},
                                          {.ratio = 8, .fancy_upscaling = false},
                                          {.dct_method = "INTEGER_ACCURATE"}};
    io::decode_jpeg(bytes, ways[bytes.size() % 4]);
  });
}
