#include "alula/keras/summary.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "alula/keras/output.h"
#include "alula/keras/table.h"
#include "alula/keras/trainer.h"

namespace alula::keras {
namespace {

constexpr int kMinLength = 40;

/// How wide the output is taken to be: a file counts as a terminal of 80 columns.
int output_columns() {
  const char* text = std::getenv("COLUMNS");
  int columns = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), columns);
  if (columns <= 0) columns = output().columns();
  return columns > 0 ? columns : 80;
}

/// 54410  ->  "54,410"
std::string with_commas(int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string shape_text(const Shape& shape) {
  std::string text;
  for (const int64_t dim : shape)
    text += (text.empty() ? "" : ", ") + (dim == kUnknown ? "None" : std::to_string(dim));
  return fmt::format("({})", text);
}

std::string shapes_text(const std::vector<Shape>& shapes) {
  if (shapes.empty()) return "?";
  if (shapes.size() == 1) return shape_text(shapes[0]);
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : ", ") + shape_text(shape);
  return fmt::format("[{}]", text);
}

std::string connections_text(const std::vector<std::string>& connections) {
  std::string text;
  for (const std::string& connection : connections) text += (text.empty() ? "" : ", ") + connection;
  return text.empty() ? "-" : text;
}

std::string trainable_text(const Layer& layer) {
  if (layer.weights().empty()) return "-";
  return layer.trainable() ? "Y" : "N";
}

/// Writes down a model's layers, row by row.
class Rows {
 public:
  Rows(bool with_connections, const SummaryOptions& options)
      : with_connections_(with_connections), options_(options) {}

  void add(const ModelImpl& model, int level) {
    for (const LayerRow& row : model.rows()) {
      add(row, level);
      const auto* nested = dynamic_cast<const ModelImpl*>(&row.layer.impl());
      if (options_.expand_nested && nested != nullptr) add(*nested, level + 1);
    }
  }

  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

 private:
  void add(const LayerRow& row, int level) {
    const Layer& layer = row.layer;
    const std::string indent = level == 0 ? "" : fmt::format("{:{}}└ ", "", 3 * level);
    std::vector<std::string> cells = {
        fmt::format("{}{} ({})", indent, layer.name(), layer.impl().class_name()),
        shapes_text(row.outputs),
        layer.built() ? with_commas(layer.count_params()) : "0 (unbuilt)",
    };
    // As in Keras, only the calls of the model itself are shown, not those within nested ones.
    if (with_connections_) cells.push_back(level > 0 ? "-" : connections_text(row.connections));
    if (options_.show_trainable) cells.push_back(trainable_text(layer));
    rows_.push_back(std::move(cells));
  }

  bool with_connections_;
  const SummaryOptions& options_;
  std::vector<std::vector<std::string>> rows_;
};

std::vector<Column> columns_of(bool with_connections, bool with_trainable) {
  using enum Column::Align;
  std::vector<Column> columns = {
      {"Layer (type)", 0, kLeft}, {"Output Shape", 0, kLeft}, {"Param #", 0, kRight}};
  if (with_connections) columns.push_back({"Connected to", 0, kLeft});
  if (with_trainable) columns.push_back({"Trainable", 0, kCenter});
  return columns;
}

/// Keras gives each column its part of the line, rich adds padding and borders, and takes what is
/// then too much off again, from left to right.
void set_widths(std::vector<Column>& columns, bool with_connections, bool with_trainable,
                int length) {
  std::vector<double> ends =
      with_connections ? std::vector{0.3, 0.56, 0.74, 1.0} : std::vector{0.45, 0.8, 1.0};
  if (with_trainable) {
    for (double& end : ends) end *= 0.9;
    ends.push_back(1);
  }
  int begin = 0, sum = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    const int end = static_cast<int>(ends[i] * length);
    columns[i].width = end - begin + 2;
    sum += columns[i].width;
    begin = end;
  }
  const int count = static_cast<int>(columns.size());
  int excess = sum + count + 1 - length;
  for (int i = 0; i < count; ++i) {
    // nearbyint rounds halves to even.
    const int part = static_cast<int>(std::nearbyint(static_cast<double>(excess) / (count - i)));
    columns[static_cast<size_t>(i)].width -= part;
    excess -= part;
  }
}

struct Size {
  int64_t count = 0;
  int64_t bytes = 0;
};

Size size_of(const std::vector<Variable>& variables) {
  Size size;
  for (const Variable& variable : variables) {
    size.count += variable.size();
    size.bytes += variable.spec().bytes();
  }
  return size;
}

/// What the optimizer of a compiled model has made so far.
std::vector<Variable> optimizer_variables(const ModelImpl& model) {
  if (model.trainer == nullptr || !model.trainer->optimizer().built()) return {};
  return model.trainer->optimizer().variables();
}

std::string size_line(const char* title, const Size& size) {
  double bytes = static_cast<double>(size.bytes);
  const char* const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format(" {}: {} ({:.2f} {})\n", title, with_commas(size.count), bytes, units[unit]);
}

/// Cuts what is wider than the output.
std::string cut_lines(const std::string& text, int columns) {
  std::string result;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    result += first_characters(text.substr(begin, end - begin), columns) + "\n";
    begin = end + 1;
  }
  return result;
}

}  // namespace

std::string summary_text(ModelImpl& model, const SummaryOptions& options) {
  const bool branched = model.is_branched();
  const int output_width = output_columns();
  const int default_length =
      std::min((branched ? 108 : 88) + (options.show_trainable ? 12 : 0), output_width - 4);
  const int64_t length = options.line_length.value_or(std::max(default_length, kMinLength));
  require(length >= kMinLength && length <= 10000,
          "summary: line_length must be from {} to 10000. Got {}.", kMinLength, length);

  std::vector<Column> columns = columns_of(branched, options.show_trainable);
  set_widths(columns, branched, options.show_trainable, static_cast<int>(length));
  Rows rows(branched, options);
  rows.add(model, 0);
  std::string text = fmt::format("Model: \"{}\"\n", model.name());
  text += cut_lines(table_text(columns, rows.rows()), output_width);

  const Layer self(model.shared_from_this());
  const Size trainable = size_of(self.trainable_variables());
  const Size fixed = size_of(self.non_trainable_variables());
  const Size optimizer = size_of(optimizer_variables(model));
  text += size_line("Total params", {trainable.count + fixed.count + optimizer.count,
                                     trainable.bytes + fixed.bytes + optimizer.bytes});
  text += size_line("Trainable params", trainable);
  text += size_line("Non-trainable params", fixed);
  if (optimizer.count > 0) text += size_line("Optimizer params", optimizer);
  return text;
}

}  // namespace alula::keras
