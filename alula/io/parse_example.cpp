#include "alula/io/parse_example.h"

#include <algorithm>
#include <optional>

#include "alula/ops/batching.h"
#include "alula/ops/cast.h"
#include "alula/ops/strings_text.h"
#include "alula/ops/tile.h"

namespace alula {
namespace {

using io::FeatureKind;
using io::FeatureSpec;
using io::FeatureView;

FeatureKind kind_of(DType dtype) {
  return dtype == string    ? FeatureKind::kBytes
         : dtype == float32 ? FeatureKind::kFloat
                            : FeatureKind::kInt64;
}

const char* name_of_kind(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::kBytes: return "strings";
    case FeatureKind::kFloat: return "float32";
    case FeatureKind::kInt64: return "int64";
    case FeatureKind::kNone: break;
  }
  return "nothing";
}

/// Calls f(value) for each value of a feature of T.
template <class T, class F>
void each_value(const FeatureView& feature, const F& f) {
  if constexpr (std::same_as<T, std::string>)
    feature.each_bytes(f);
  else if constexpr (std::same_as<T, float>)
    feature.each_float(f);
  else
    feature.each_int64(f);
}

/// A feature of all examples.
class Output {
 public:
  virtual ~Output() = default;
  /// Example i has this feature, or none.
  virtual void add(size_t i, const FeatureView* feature) = 0;
  virtual Tensor finish(const Shape& examples) = 0;
};

template <class T>
class FixedOutput final : public Output {
 public:
  FixedOutput(const std::string& name, const FeatureSpec& spec, const Shape& examples)
      : name_(name), spec_(spec), count_(static_cast<size_t>(spec.shape().size())) {
    const Shape shape = examples + spec.shape();
    shape.checked_size(ParseExample::kName, sizeof(T));
    values_ = Tensor::uninitialized({spec.dtype(), shape});
  }

  void add(size_t i, const FeatureView* feature) override {
    T* to = static_cast<T*>(values_.mutable_data()) + i * count_;
    if (feature == nullptr) {
      if (!spec_.default_value().defined())
        fail("{}: example {} has no feature \"{}\", which has no default.", ParseExample::kName, i,
             name_);
      const auto standard = spec_.default_value().span<T>();
      std::copy(standard.begin(), standard.end(), to);
      return;
    }
    size_t found = 0;
    each_value<T>(*feature, [&](const auto& value) {
      if (found < count_) to[found] = T(value);
      ++found;
    });
    if (found != count_)
      fail("{}: the feature \"{}\" of example {} has {} values, but its shape is {}.",
           ParseExample::kName, name_, i, found, spec_.shape());
  }
  Tensor finish(const Shape&) override { return values_; }

 private:
  const std::string& name_;
  const FeatureSpec& spec_;
  size_t count_;
  Tensor values_;
};

template <class T>
class AnyLengthOutput final : public Output {
 public:
  void add(size_t, const FeatureView* feature) override {
    const size_t before = values_.size();
    if (feature != nullptr)
      each_value<T>(*feature, [&](const auto& value) { values_.emplace_back(value); });
    counts_.push_back(values_.size() - before);
    longest_ = std::max(longest_, counts_.back());
  }

  Tensor finish(const Shape& examples) override {
    const Shape shape = examples + Shape{static_cast<int64_t>(longest_)};
    shape.checked_size(ParseExample::kName, sizeof(T));
    Tensor result = Tensor::uninitialized({dtype_of<T>, shape});
    T* to = static_cast<T*>(result.mutable_data());
    auto from = values_.begin();
    for (size_t count : counts_) {
      const auto end = from + static_cast<ptrdiff_t>(count);
      to = std::fill_n(std::move(from, end, to), longest_ - count, T());
      from = end;
    }
    return result;
  }

 private:
  std::vector<T> values_;
  std::vector<size_t> counts_;
  size_t longest_ = 0;
};

template <class T>
std::unique_ptr<Output> make_output(const std::string& name, const FeatureSpec& spec,
                                    const Shape& examples) {
  if (spec.any_length()) return std::make_unique<AnyLengthOutput<T>>();
  return std::make_unique<FixedOutput<T>>(name, spec, examples);
}

struct Wanted {
  const std::string* name;
  const FeatureSpec* spec;
  std::unique_ptr<Output> output;
  std::optional<FeatureView> found;  // in this example
};

std::vector<Wanted> make_wanted(const io::FeatureSpecs& features, const Shape& examples) {
  std::vector<Wanted> all;
  for (const auto& [name, spec] : features) {
    std::unique_ptr<Output> output =
        spec.dtype() == string    ? make_output<std::string>(name, spec, examples)
        : spec.dtype() == float32 ? make_output<float>(name, spec, examples)
                                  : make_output<int64_t>(name, spec, examples);
    all.push_back({&name, &spec, std::move(output), {}});
  }
  return all;  // in the order of the names
}

/// Reads one example into the outputs.
void read_example(std::string_view bytes, size_t i, std::vector<Wanted>& all) {
  for (Wanted& wanted : all) wanted.found.reset();
  try {
    io::each_feature(bytes, "example", [&](std::string_view name, const FeatureView& feature) {
      const auto place = std::lower_bound(
          all.begin(), all.end(), name,
          [](const Wanted& wanted, std::string_view other) { return *wanted.name < other; });
      if (place != all.end() && *place->name == name) place->found = feature;
    });
    for (Wanted& wanted : all) {
      const FeatureKind kind = wanted.found ? wanted.found->kind() : FeatureKind::kNone;
      const FeatureKind asked = kind_of(wanted.spec->dtype());
      if (kind != FeatureKind::kNone && kind != asked)
        fail("{}: the feature \"{}\" of example {} holds {}, not {}.", ParseExample::kName,
             *wanted.name, i, name_of_kind(kind), name_of_kind(asked));
      wanted.output->add(i, kind == FeatureKind::kNone ? nullptr : &*wanted.found);
    }
  } catch (const DataLossError& error) {
    fail<DataLossError>("{}: example {} cannot be read. {}", ParseExample::kName, i, error.what());
  }
}

FeatureSpec checked(const std::string& name, const FeatureSpec& spec) {
  constexpr DTypeSet kTypes{float32, int64, string};
  constexpr const char* kName = ParseExample::kName;
  require(kTypes.contains(spec.dtype()), "{}: a feature is one of {}. Got {} for \"{}\".", kName,
          kTypes, spec.dtype(), name);
  if (spec.any_length()) return io::VarLenFeature{spec.dtype()};
  require(spec.shape().is_known(), "{}: the shape of \"{}\" must be known. Got {}.", kName, name,
          spec.shape());
  if (!spec.default_value().defined()) return spec;
  Tensor value = spec.default_value().cpu();
  require(value.rank() == 0 || value.shape() == spec.shape(),
          "{}: the default of \"{}\" must be a scalar or of its shape {}. Got {}.", kName, name,
          spec.shape(), value.spec());
  require((value.dtype() == string) == (spec.dtype() == string),
          "{}: the default of \"{}\" must be of {}. Got {}.", kName, name, spec.dtype(),
          value.spec());
  if (value.dtype() != spec.dtype()) value = cast(value, spec.dtype());
  return io::FixedLenFeature{spec.shape(), spec.dtype(), broadcast_to(value, spec.shape())};
}

}  // namespace

Specs ParseExample::infer(SpecRefs inputs) const {
  require(inputs[0].dtype == string, "{}: the examples must be strings. Got {}.", name(), inputs);
  Specs outputs;
  for (const auto& [name, spec] : features)
    outputs.push_back(
        {spec.dtype(), inputs[0].shape + (spec.any_length() ? Shape{kUnknown} : spec.shape())});
  return outputs;
}

/// In a loop if numbers of values may differ: those of all elements must be the same then.
Tensors ParseExample::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  const bool any_length = std::any_of(features.begin(), features.end(), [](const auto& feature) {
    return feature.second.any_length();
  });
  return any_length ? batching::in_loop(*this, inputs, size)
                    : batching::with_leading(*this, inputs, size);
}

Attributes ParseExample::attributes() const {
  Attributes attributes;
  for (const auto& [name, spec] : features) {
    std::string text = spec.any_length() ? fmt::format("{}[?]", spec.dtype())
                                         : to_string(Spec{spec.dtype(), spec.shape()});
    const Tensor& standard = spec.default_value();
    if (standard.defined() && standard.dtype() == string)
      for (const std::string& value : standard.span<std::string>())
        text.append(1, ' ').append(strings::quoted(value));
    else if (standard.defined())
      text.append(1, ' ').append(strings::quoted(
          {static_cast<const char*>(standard.data()), static_cast<size_t>(standard.bytes())}));
    attributes.emplace_back(strings::quoted(name).c_str(), text);
  }
  return attributes;
}

Tensors ParseExample::run_on_host(TensorRefs inputs) const {
  const Shape& shape = inputs[0].shape();
  std::vector<Wanted> all = make_wanted(features, shape);
  const auto examples = inputs[0].span<std::string>();
  for (size_t i = 0; i < examples.size(); ++i) read_example(examples[i], i, all);
  Tensors outputs;
  for (Wanted& wanted : all) outputs.push_back(wanted.output->finish(shape));
  return outputs;
}

std::map<std::string, Tensor> io::parse_example(const Tensor& serialized,
                                                const FeatureSpecs& features) {
  require(!features.empty(), "{}: there is no feature to read.", ParseExample::kName);
  ParseExample op;
  {
    const WithoutTracing untraced;
    for (const auto& [name, spec] : features) op.features.emplace(name, checked(name, spec));
  }
  const Tensors outputs = call_all(op, {&serialized, 1});
  std::map<std::string, Tensor> named;
  size_t i = 0;
  for (const auto& [name, spec] : features) named.emplace(name, outputs[i++]);
  return named;
}

std::map<std::string, Tensor> io::parse_single_example(const Tensor& serialized,
                                                       const FeatureSpecs& features) {
  require(serialized.rank() == 0, "parse_single_example: takes one example, a scalar. Got {}.",
          serialized.spec());
  return parse_example(serialized, features);
}

io::Feature io::feature_of(const Tensor& values) {
  const Tensor host = values.cpu();
  if (host.dtype() == string) return host.to_vector<std::string>();
  if (is_floating(host.dtype())) return cast(host, float32).to_vector<float>();
  return cast(host, int64).to_vector<int64_t>();
}

std::string io::serialize_example(const std::map<std::string, Tensor>& features) {
  Example example;
  for (const auto& [name, values] : features) example.features.emplace(name, feature_of(values));
  return example.bytes();
}

}  // namespace alula
