#include "alula/io/png.h"

#include <cstring>

#include "fuzz/fuzz.h"

using namespace alula;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::parse(data, size, [](std::string_view bytes) {
    const Tensor image = io::decode_png(bytes, {.dtype = bytes.size() % 2 == 0 ? uint8 : uint16});
    // What was read can be written, and reads the same again.
    const Tensor again = io::decode_png(io::encode_png(image), {.dtype = image.dtype()});
    fuzz::check(again.spec() == image.spec() &&
                std::memcmp(again.data(), image.data(), static_cast<size_t>(image.bytes())) == 0);
    for (const int64_t channels : {1, 3, 4}) io::decode_png(bytes, {.channels = channels});
  });
}
