#include "alula/io/decode_raw.h"

#include <algorithm>
#include <cstring>

#include "alula/ops/attributes.h"
#include "alula/ops/batching.h"

namespace alula {

Specs DecodeRaw::infer(SpecRefs inputs) const {
  require(inputs[0].dtype == string, "{}: takes strings. Got {}.", name(), inputs);
  const auto size = static_cast<int64_t>(size_of(out_type));
  const int64_t count = options.fixed_length > 0 ? options.fixed_length / size : kUnknown;
  return {{out_type, inputs[0].shape + Shape{count}}};
}

/// Strings of one call must be equally long, those of two need not: that is for the loop to find
/// out.
Tensors DecodeRaw::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return options.fixed_length > 0 ? batching::with_leading(*this, inputs, size)
                                  : batching::in_loop(*this, inputs, size);
}

Attributes DecodeRaw::attributes() const {
  Attributes attributes{{"out_type", out_type}};
  add_unless(true, attributes, "little_endian", options.little_endian);
  add_unless(0, attributes, "fixed_length", options.fixed_length);
  return attributes;
}

Tensors DecodeRaw::run_on_host(TensorRefs inputs) const {
  const auto texts = inputs[0].span<std::string>();
  const size_t element = size_of(out_type);
  const size_t length = options.fixed_length > 0 ? static_cast<size_t>(options.fixed_length)
                        : texts.empty()          ? 0
                                                 : texts[0].size();
  for (size_t i = 0; i < texts.size() && options.fixed_length == 0; ++i)
    require(texts[i].size() == length,
            "{}: the strings must be equally long, but the first has {} bytes and number {} {}. "
            "Set fixed_length.",
            name(), length, i, texts[i].size());
  require(length % element == 0, "{}: {} bytes are not a whole number of {}.", name(), length,
          out_type);
  const Shape shape = inputs[0].shape() + Shape{static_cast<int64_t>(length / element)};
  shape.checked_size(name(), element);
  Tensor output = Tensor::uninitialized({out_type, shape});
  auto* to = static_cast<std::byte*>(output.mutable_data());
  for (const std::string& text : texts) {
    const size_t taken = std::min(length, text.size());
    if (taken > 0) std::memcpy(to, text.data(), taken);
    std::fill(to + taken, to + length, std::byte());
    if (!options.little_endian)
      for (size_t i = 0; i < length; i += element) std::reverse(to + i, to + i + element);
    if (out_type == boolean)  // any other byte is no bool
      for (size_t i = 0; i < length; ++i) to[i] = to[i] == std::byte() ? std::byte() : std::byte(1);
    to += length;
  }
  return {output};
}

Tensor io::decode_raw(const Tensor& input, DType out_type, const DecodeRawOptions& options) {
  constexpr const char* kName = DecodeRaw::kName;
  require(out_type != string, "{}: out_type must be of numbers or bools. Got {}.", kName, out_type);
  require(options.fixed_length >= 0 &&
              options.fixed_length % static_cast<int64_t>(size_of(out_type)) == 0,
          "{}: fixed_length must be a multiple of the {} bytes of {}. Got {}.", kName,
          size_of(out_type), out_type, options.fixed_length);
  DecodeRaw op;
  op.out_type = out_type;
  op.options = options;
  return call(op, input);
}

}  // namespace alula
