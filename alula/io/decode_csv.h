#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

namespace io {

struct DecodeCsvOptions {
  char field_delim = ',';
  bool use_quote_delim = true;            // whether fields may stand in quotes, as RFC 4180 has it
  std::string na_value = "";              // a field like this is missing, as an empty one is
  std::vector<int64_t> select_cols = {};  // the columns wanted, in order; none: all
};

/// The columns of records of comma-separated values, each of the records' shape. There is one
/// default a column: its dtype is the column's (float32, float64, int32, int64 or string), its
/// value stands in for a missing field. A default without elements says that the field must be
/// there.
///   decode_csv({"1,2.5", "3,"}, {Tensor{0}, Tensor{0.5f}})  ->  {{1, 3}, {2.5, 0.5}}
std::vector<Tensor> decode_csv(const Tensor& records, const std::vector<Tensor>& record_defaults,
                               const DecodeCsvOptions& options = {});

}  // namespace io

struct DecodeCsv final : OpOf<DecodeCsv> {
  static constexpr const char* kName = "decode_csv";
  static constexpr DTypeSet kDTypes = string;
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
  std::vector<Tensor> record_defaults;
  io::DecodeCsvOptions options;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

}  // namespace alula
