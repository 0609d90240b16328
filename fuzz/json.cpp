#include "alula/io/json.h"

#include "fuzz/fuzz.h"

using alula::io::Json;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return alula::fuzz::parse(data, size, [](std::string_view bytes) {
    // What was read can be written, and reads the same again.
    const std::string text = Json::parse(bytes, "fuzz.json").dump();
    alula::fuzz::check(Json::parse(text, "again").dump() == text);
  });
}
