#include "alula/io/read_file.h"

#include "alula/io/file.h"
#include "alula/ops/batching.h"

namespace alula::io {

Tensor read_file(const Tensor& filename) { return call(ReadFile(), filename); }

Specs ReadFile::infer(SpecRefs inputs) const {
  require(inputs[0].dtype == string, "{}: takes paths, strings. Got {}.", kName, inputs[0]);
  return {inputs[0]};
}

Tensors ReadFile::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_leading(*this, inputs, size);
}

Tensors ReadFile::run_on_host(TensorRefs inputs) const {
  std::vector<std::string> contents;
  for (const std::string& path : inputs[0].span<std::string>()) contents.push_back(read_file(path));
  return {Tensor(contents, inputs[0].shape())};
}

}  // namespace alula::io
