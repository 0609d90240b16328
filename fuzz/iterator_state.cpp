#include "alula/alula.h"
#include "alula/data/state.h"
#include "fuzz/fuzz.h"

namespace {

using namespace alula;
using data::Dataset;

const std::vector<Dataset>& pipelines() {
  static const auto* all = new std::vector<Dataset>{
      Dataset::range(20).shuffle(7).batch(3).repeat(2),
      Dataset::range(20).batch(4).unbatch().skip(2).take(9).prefetch(2),
      Dataset::range(20).map([](const Tensor& x) { return x + 1; }).shuffle(5),
      Dataset::from_tensor_slices({Tensor{"a", "b", "c"}, Tensor{1, 2, 3}}).prefetch(2),
  };
  return *all;
}

/// The first byte picks a pipeline; the rest is a state, with the seal that a real one has.
void restore(std::string_view bytes) {
  if (bytes.empty()) return;
  const Dataset& dataset = pipelines()[static_cast<uint8_t>(bytes[0]) % pipelines().size()];
  data::Iterator iterator = dataset.iterator();
  iterator.restore(data::sealed(data::signature(*dataset.stage()), std::string(bytes.substr(1))));
  data::Element element;
  for (int i = 0; i < 30 && iterator.next(element); ++i)
    fuzz::check(element.tensors().size() == dataset.element_spec().specs.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return alula::fuzz::parse(data, size, restore);
}
