#include "alula/io/decode_csv.h"

#include <algorithm>

#include "alula/io/csv.h"
#include "alula/ops/attributes.h"
#include "alula/ops/batching.h"
#include "alula/ops/strings_number.h"

namespace alula {
namespace {

constexpr DTypeSet kColumnTypes{float32, float64, int32, int64, string};

/// Where the fields of a column go.
class Column {
 public:
  Column(const Tensor& standard, const Shape& shape)
      : default_(standard), values_(Tensor::uninitialized({standard.dtype(), shape})) {}

  const Tensor& values() const { return values_; }
  DType dtype() const { return values_.dtype(); }
  bool is_required() const { return default_.size() == 0; }

  /// Whether the field is a value of the column's dtype.
  bool set(size_t i, std::string_view field) {
    switch (dtype()) {
      case DType::kFloat32: return strings::parse_number(field, at<float>()[i]);
      case DType::kFloat64: return strings::parse_number(field, at<double>()[i]);
      case DType::kInt32: return strings::parse_number(field, at<int32_t>()[i]);
      case DType::kInt64: return strings::parse_number(field, at<int64_t>()[i]);
      default: at<std::string>()[i] = field; return true;
    }
  }
  void set_default(size_t i) {
    if (dtype() == string)
      at<std::string>()[i] = default_.item<std::string>();
    else
      with_type(dtype(), [&]<class T>(Type<T>) { at<T>()[i] = default_.item<T>(); });
  }

 private:
  template <class T>
  T* at() {
    return static_cast<T*>(values_.mutable_data());
  }

  Tensor default_, values_;
};

}  // namespace

Specs DecodeCsv::infer(SpecRefs inputs) const {
  require(inputs[0].dtype == string, "{}: the records must be strings. Got {}.", name(), inputs);
  Specs outputs;
  for (const Tensor& standard : record_defaults)
    outputs.push_back(inputs[0].with(standard.dtype()));
  return outputs;
}

Tensors DecodeCsv::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_leading(*this, inputs, size);
}

Attributes DecodeCsv::attributes() const {
  Attributes attributes;
  std::string defaults;
  for (const Tensor& standard : record_defaults)
    defaults += fmt::format("{}{} {}", defaults.empty() ? "" : ", ", standard.spec(),
                            standard.dtype() == string && standard.size() > 0
                                ? strings::quoted(standard.item<std::string>())
                                : standard.str());
  attributes.emplace_back("record_defaults", defaults);
  add_unless(',', attributes, "field_delim", options.field_delim);
  add_unless(true, attributes, "use_quote_delim", options.use_quote_delim);
  if (!options.na_value.empty())
    attributes.emplace_back("na_value", strings::quoted(options.na_value));
  if (!options.select_cols.empty())
    attributes.emplace_back("select_cols",
                            fmt::format("[{}]", fmt::join(options.select_cols, ",")));
  return attributes;
}

Tensors DecodeCsv::run_on_host(TensorRefs inputs) const {
  std::vector<Column> columns;
  for (const Tensor& standard : record_defaults) columns.emplace_back(standard, inputs[0].shape());
  const std::vector<int64_t>& chosen = options.select_cols;
  io::CsvSplitter splitter(
      {.field_delim = options.field_delim, .use_quote_delim = options.use_quote_delim});
  const auto records = inputs[0].span<std::string>();
  for (size_t i = 0; i < records.size(); ++i) {
    if (!splitter.try_split(records[i]))
      fail("{}: record {} is not well formed: {}", name(), i, splitter.problem());
    const std::vector<std::string_view>& fields = splitter.fields();
    const size_t wanted = chosen.empty() ? columns.size() : static_cast<size_t>(chosen.back()) + 1;
    if (chosen.empty() ? fields.size() != wanted : fields.size() < wanted)
      fail("{}: record {} has {} fields, not {}{}.", name(), i, fields.size(),
           chosen.empty() ? "" : "at least ", wanted);
    for (size_t k = 0; k < columns.size(); ++k) {
      const size_t place = chosen.empty() ? k : static_cast<size_t>(chosen[k]);
      const std::string_view field = fields[place];
      if (field.empty() || field == options.na_value) {
        if (columns[k].is_required())
          fail("{}: field {} of record {} is missing, and has no default.", name(), place, i);
        columns[k].set_default(i);
      } else if (!columns[k].set(i, field)) {
        fail("{}: field {} of record {} is not a value of {}: {}.", name(), place, i,
             columns[k].dtype(), strings::shown(field));
      }
    }
  }
  Tensors outputs;
  for (const Column& column : columns) outputs.push_back(column.values());
  return outputs;
}

std::vector<Tensor> io::decode_csv(const Tensor& records,
                                   const std::vector<Tensor>& record_defaults,
                                   const DecodeCsvOptions& options) {
  constexpr const char* kName = DecodeCsv::kName;
  require(!record_defaults.empty(), "{}: there must be a default for each column. Got none.",
          kName);
  for (size_t i = 0; i < record_defaults.size(); ++i) {
    const Tensor& standard = record_defaults[i];
    require(standard.defined() && !standard.is_symbolic(),
            "{}: the default of column {} must have a value.", kName, i);
    require(kColumnTypes.contains(standard.dtype()), "{}: a column is one of {}. Got a default {}.",
            kName, kColumnTypes, standard.spec());
    require(
        standard.rank() <= 1 && standard.size() <= 1,
        "{}: there is one default a column, or an empty one if the field must be there. Got {}.",
        kName, standard.spec());
  }
  const std::vector<int64_t>& chosen = options.select_cols;
  require(chosen.empty() || chosen.size() == record_defaults.size(),
          "{}: select_cols has {} columns, but there are {} defaults.", kName, chosen.size(),
          record_defaults.size());
  for (size_t i = 0; i < chosen.size(); ++i)
    require(chosen[i] >= 0 && (i == 0 || chosen[i] > chosen[i - 1]),
            "{}: select_cols must be strictly increasing. Got [{}].", kName,
            fmt::join(chosen, ","));
  CsvSplitter({.field_delim = options.field_delim, .use_quote_delim = options.use_quote_delim});
  DecodeCsv op;
  for (const Tensor& standard : record_defaults) op.record_defaults.push_back(standard.cpu());
  op.options = options;
  const Tensors columns = call_all(op, {&records, 1});
  return {columns.begin(), columns.end()};
}

}  // namespace alula
