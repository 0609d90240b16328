#include "alula/data/csv_columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "alula/io/csv.h"

namespace alula::data {
namespace {

/// How many records say what the columns are.
constexpr int kRecordsToLookAt = 100;

/// Without blanks, and without a plus sign, which from_chars does not take.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r\v\f";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class T>
bool parse_whole(std::string_view text, T& value) {
  text = trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// Numbers too large or too small for the type become infinite or 0, as C reads them.
template <class T>
bool parse_real(std::string_view text, T& value) {
  text = trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return false;
  if (error == std::errc()) return true;
  if (error != std::errc::result_out_of_range) return false;
  const std::string copy(text);
  if constexpr (std::same_as<T, float>)
    value = std::strtof(copy.c_str(), nullptr);
  else
    value = std::strtod(copy.c_str(), nullptr);
  return true;
}

/// The narrowest of the types that TensorFlow tries, in this order, that takes a field, and that is
/// at least `least`.
constexpr DType kTypes[] = {int32, int64, float32, float64, string};
size_t narrowest(std::string_view field, size_t least) {
  int32_t small = 0;
  int64_t large = 0;
  double real = 0;
  if (least <= 0 && parse_field(field, small)) return 0;
  if (least <= 1 && parse_field(field, large)) return 1;
  if (!parse_field(field, real) || !std::isfinite(real)) return 4;
  if (least <= 2 && std::abs(real) < double{std::numeric_limits<float>::max()}) return 2;
  return std::max<size_t>(least, 3);
}

Tensor zero(DType dtype) {
  return dtype == string ? Tensor(std::string_view()) : Tensor(Number(0), dtype);
}

io::CsvReaderOptions reader_options(const CsvOptions& options) {
  return {.field_delim = options.field_delim,
          .use_quote_delim = options.use_quote_delim,
          .header = options.header};
}

std::vector<std::string> names_of(const std::string& file, const CsvOptions& options) {
  const io::CsvReader reader(file, reader_options(options));
  const std::vector<std::string>& names =
      options.column_names.empty() ? reader.header() : options.column_names;
  require(!names.empty(),
          "csv: the columns of '{}' have no names. Give column_names, or set header = true if the "
          "first line has them.",
          file);
  for (size_t i = 0; i < names.size(); ++i)
    require(std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) ==
                names.begin() + static_cast<std::ptrdiff_t>(i),
            "csv: two columns of '{}' have the name '{}'. Give column_names.", file, names[i]);
  return names;
}

/// Looks at the first records to find the types of columns.
void find_types(const std::vector<std::string>& files, CsvLayout& layout) {
  std::vector<int> types(layout.columns.size(), -1);  // none seen
  int seen = 0;
  for (size_t f = 0; f < files.size() && seen < kRecordsToLookAt; ++f) {
    io::CsvReader reader(files[f], reader_options(layout.options));
    for (std::vector<std::string_view> fields; seen < kRecordsToLookAt && reader.read(fields);
         ++seen)
      for (size_t i = 0; i < types.size(); ++i) {
        const size_t place = layout.columns[i].field;
        if (place >= fields.size() || layout.is_missing(fields[place])) continue;
        const size_t least = types[i] < 0 ? 0 : static_cast<size_t>(types[i]);
        types[i] = static_cast<int>(narrowest(fields[place], least));
      }
  }
  for (size_t i = 0; i < types.size(); ++i) {
    layout.columns[i].dtype = types[i] < 0 ? string : kTypes[types[i]];
    layout.columns[i].missing = zero(layout.columns[i].dtype);
  }
}

void use_default(CsvColumn& column, const Tensor& given) {
  require(given.defined() &&
              std::find(std::begin(kTypes), std::end(kTypes), given.dtype()) != std::end(kTypes),
          "csv: column '{}': a default must be int32, int64, float32, float64 or string. Got {}.",
          column.name, given.defined() ? to_string(given.spec()) : "none");
  require(given.size() <= 1,
          "csv: column '{}': a default must be one value, or none if a field must not be empty. "
          "Got {}.",
          column.name, given.spec());
  column.dtype = given.dtype();
  column.required = given.size() == 0;
  if (!column.required) column.missing = given.cpu().reshaped({});
}

}  // namespace

bool parse_field(std::string_view text, int32_t& value) { return parse_whole(text, value); }
bool parse_field(std::string_view text, int64_t& value) { return parse_whole(text, value); }
bool parse_field(std::string_view text, float& value) { return parse_real(text, value); }
bool parse_field(std::string_view text, double& value) { return parse_real(text, value); }

CsvLayout::CsvLayout(const std::vector<std::string>& files, const CsvOptions& how) : options(how) {
  require(!files.empty(), "csv: there is no file.");
  header = names_of(files[0], options);
  const std::vector<std::string>& chosen =
      options.select_columns.empty() ? header : options.select_columns;
  for (const std::string& name : chosen) {
    const auto found = std::find(header.begin(), header.end(), name);
    require<NotFoundError>(found != header.end(), "csv: '{}' has no column '{}'. It has {}.",
                           files[0], name, fmt::join(header, ", "));
    columns.push_back({.name = name, .field = static_cast<size_t>(found - header.begin())});
  }
  if (options.column_defaults.empty()) {
    find_types(files, *this);
    return;
  }
  require(options.column_defaults.size() == columns.size(),
          "csv: column_defaults takes one default for each of the {} columns chosen. Got {}.",
          columns.size(), options.column_defaults.size());
  for (size_t i = 0; i < columns.size(); ++i) use_default(columns[i], options.column_defaults[i]);
}

ElementSpec CsvLayout::spec() const {
  ElementSpec result{{.kind = Structure::Kind::kNamed}, {}};
  for (const CsvColumn& column : columns) {
    result.structure.items.push_back({});
    result.structure.names.push_back(column.name);
    result.specs.push_back({column.dtype, {}});
  }
  return result;
}

}  // namespace alula::data
