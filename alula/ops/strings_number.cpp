#include "alula/ops/strings_number.h"

#include <charconv>
#include <iterator>
#include <limits>

#include "alula/ops/attributes.h"

namespace alula {
namespace {

const RegisterOp<StringToNumber> registered_to_number;
const RegisterOp<AsString> registered_as_string;

bool is_sign(char c) { return c == '+' || c == '-'; }

/// Whether a number that does not fit its type is too large, rather than too small. The digits have
/// been found well formed.
bool is_too_large(std::string_view digits, bool hex) {
  const size_t mark = std::min(digits.find_first_of(hex ? "pP" : "eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, mark);
  const size_t first = mantissa.find_first_not_of("0.");
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  if (first == std::string_view::npos) return false;
  const auto before_point = static_cast<double>(point) - static_cast<double>(first);
  double exponent = 0;
  bool small = false;
  for (char c : digits.substr(std::min(mark + 1, digits.size()))) {
    small = small || c == '-';
    if (!is_sign(c)) exponent = exponent * 10 + (c - '0');
  }
  return before_point * (hex ? 4 : 1) + (small ? -exponent : exponent) > 0;
}

template <class T>
bool parse_float(std::string_view text, T& number) {
  bool negative = false;
  if (!text.empty() && is_sign(text[0])) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hex) text.remove_prefix(2);
  if (text.empty() || is_sign(text[0])) return false;
  const char* end = text.data() + text.size();
  T value = 0;
  const auto [stopped, error] = std::from_chars(
      text.data(), end, value, hex ? std::chars_format::hex : std::chars_format::general);
  if (stopped != end || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range)
    value = is_too_large(text, hex) ? std::numeric_limits<T>::infinity() : 0;
  number = negative ? -value : value;
  return true;
}

template <class T>
bool parse_integer(std::string_view text, T& number) {
  if (text.size() > 1 && text[0] == '+' && !is_sign(text[1])) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return stopped == end && error == std::errc();
}

/// What printf would do with a flag, width and precision.
class Printer {
 public:
  Printer(const strings::AsStringOptions& options, DType dtype) {
    const char flag = options.fill.empty() ? 0 : options.fill[0];
    const bool zeros = flag == '0' && dtype != string;
    format_ = "{:";
    if (!zeros) format_ += flag == '-' ? '<' : '>';
    if (kSigned.contains(dtype) && (flag == '+' || flag == ' ')) format_ += flag;
    if (zeros && options.width > 0) format_ += '0';
    if (options.width > 0) fmt::format_to(std::back_inserter(format_), "{}", options.width);
    if (is_floating(dtype)) {
      if (options.precision >= 0)
        fmt::format_to(std::back_inserter(format_), ".{}", options.precision);
      format_ += options.scientific ? 'e' : options.shortest ? 'g' : 'f';
    }
    format_ += '}';
  }

  template <class T>
  std::string operator()(const T& value) const {
    return fmt::format(fmt::runtime(format_), value);
  }

 private:
  std::string format_;
};

}  // namespace

template <class T>
bool strings::parse_number(std::string_view text, T& number) {
  text = stripped(text);
  if constexpr (std::floating_point<T>)
    return parse_float(text, number);
  else
    return parse_integer(text, number);
}
template bool strings::parse_number(std::string_view, float&);
template bool strings::parse_number(std::string_view, double&);
template bool strings::parse_number(std::string_view, int32_t&);
template bool strings::parse_number(std::string_view, int64_t&);

Tensors StringToNumber::run_on_host(TensorRefs inputs) const {
  const auto convert = [&]<class T>(T) -> Tensors {
    return {strings::map_texts<T>(inputs[0], [&](const std::string& text) {
      T number = 0;
      require(strings::parse_number(text, number), "{}: {} is not a number of {}.", name(),
              strings::shown(text), out_type);
      return number;
    })};
  };
  switch (out_type) {
    case DType::kFloat64: return convert(double());
    case DType::kInt32: return convert(int32_t());
    case DType::kInt64: return convert(int64_t());
    default: return convert(float());
  }
}

Tensor strings::to_number(const Tensor& input, DType out_type) {
  constexpr DTypeSet kTypes{float32, float64, int32, int64};
  require(kTypes.contains(out_type), "{}: out_type must be one of {}. Got {}.",
          StringToNumber::kName, kTypes, out_type);
  StringToNumber op;
  op.out_type = out_type;
  return call(op, input);
}

Specs AsString::infer(SpecRefs inputs) const {
  const DType dtype = inputs[0].dtype;
  require(is_floating(dtype) || (options.precision < 0 && !options.scientific && !options.shortest),
          "{}: precision, scientific and shortest are for floats. Got {}.", name(), inputs);
  return {inputs[0].with(string)};
}

Tensors AsString::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_leading(*this, inputs, size);
}

Attributes AsString::attributes() const {
  Attributes attributes;
  add_unless(-1, attributes, "precision", options.precision);
  add_unless(false, attributes, "scientific", options.scientific);
  add_unless(false, attributes, "shortest", options.shortest);
  add_unless(-1, attributes, "width", options.width);
  add_unless("", attributes, "fill", options.fill);
  return attributes;
}

Tensors AsString::run_on_host(TensorRefs inputs) const {
  const Tensor& input = inputs[0];
  const Printer print(options, input.dtype());
  Tensor output = Tensor::uninitialized({string, input.shape()});
  auto* to = static_cast<std::string*>(output.mutable_data());
  if (input.dtype() == string) {
    for (const std::string& text : input.span<std::string>()) *to++ = print(text);
  } else if (input.dtype() == boolean) {
    for (bool value : input.span<bool>()) *to++ = value ? "true" : "false";
  } else {
    with_type(input.dtype(), [&]<class T>(Type<T>) {
      for (T value : input.span<T>()) {
        if constexpr (std::integral<T>)
          *to++ = print(value);
        else
          *to++ = print(static_cast<double>(value));
      }
    });
  }
  return {output};
}

Tensor strings::as_string(const Tensor& input, const AsStringOptions& options) {
  require(!options.scientific || !options.shortest,
          "{}: scientific and shortest exclude each other.", AsString::kName);
  require(options.fill.size() <= 1 &&
              (options.fill.empty() ||
               std::string_view("0-+ ").find(options.fill[0]) != std::string_view::npos),
          "{}: fill must be one of \"\", \"0\", \"-\", \"+\" and \" \". Got {}.", AsString::kName,
          quoted(options.fill));
  constexpr int kMost = 1 << 20;
  require(options.width <= kMost && options.precision <= kMost,
          "{}: width and precision are at most {}. Got {} and {}.", AsString::kName, kMost,
          options.width, options.precision);
  AsString op;
  op.options = options;
  return call(op, input);
}

}  // namespace alula
