#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "alula/data/dataset.h"

namespace alula::data {

/// One column of a CSV file, as it is read.
struct CsvColumn {
  std::string name;
  size_t field = 0;  // its place in a record
  DType dtype = string;
  bool required = false;  // an empty field is an error
  Tensor missing;         // else what stands for it, a scalar
};

/// What a data set of CSV files reads, found out from the first of them.
struct CsvLayout {
  std::vector<std::string> header;  // names of all fields
  std::vector<CsvColumn> columns;   // those chosen
  CsvOptions options;

  CsvLayout(const std::vector<std::string>& files, const CsvOptions& options);
  ElementSpec spec() const;
  bool is_missing(std::string_view field) const {
    return field.empty() || field == options.na_value;
  }
};

/// Parses a number, which may have blanks around it; whether it is one.
bool parse_field(std::string_view text, int32_t& value);
bool parse_field(std::string_view text, int64_t& value);
bool parse_field(std::string_view text, float& value);
bool parse_field(std::string_view text, double& value);

}  // namespace alula::data
