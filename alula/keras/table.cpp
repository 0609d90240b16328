#include "alula/keras/table.h"

#include <algorithm>

#include <fmt/format.h>

namespace alula::keras {
namespace {

/// The characters of a rule between rows, or of the sides of a row.
struct Line {
  const char *left, *fill, *between, *right;
};
constexpr Line kTop = {"┏", "━", "┳", "┓"};
constexpr Line kTitles = {"┃", " ", "┃", "┃"};
constexpr Line kBelowTitles = {"┡", "━", "╇", "┩"};
constexpr Line kRow = {"│", " ", "│", "│"};
constexpr Line kBetween = {"├", "─", "┼", "┤"};
constexpr Line kBottom = {"└", "─", "┴", "┘"};

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

std::string repeat(const char* text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

/// Pieces of text, each a word with the blanks behind it; the first also has those before it.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    if (begin == 0) end = std::min(text.find_first_not_of(' '), text.size());
    end = std::min(text.find(' ', end), text.size());
    end = std::min(text.find_first_not_of(' ', end), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

std::string without_end_blanks(const std::string& text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::vector<std::string> wrap(const std::string& text, int width) {
  std::vector<std::string> lines(1);
  for (const std::string& word : words_of(text)) {
    const bool fits = characters(lines.back()) + characters(without_end_blanks(word)) <= width;
    if (!fits && !lines.back().empty()) lines.emplace_back();
    lines.back() += word;
  }
  for (std::string& line : lines) {
    line = without_end_blanks(line);
    if (characters(line) > width) line = first_characters(line, width - 1) + "…";
  }
  return lines;
}

std::string aligned(const std::string& text, int width, Column::Align align) {
  const int blanks = std::max(width - characters(text), 0);
  const int before = align == Column::Align::kLeft    ? 0
                     : align == Column::Align::kRight ? blanks
                                                      : blanks / 2;
  return repeat(" ", before) + text + repeat(" ", blanks - before);
}

std::string rule(const std::vector<Column>& columns, const Line& line) {
  std::string text = line.left;
  for (size_t i = 0; i < columns.size(); ++i)
    text += (i > 0 ? line.between : "") + repeat(line.fill, columns[i].width);
  return text + line.right + "\n";
}

std::string row_text(const std::vector<Column>& columns, const std::vector<std::string>& cells,
                     const Line& line) {
  std::vector<std::vector<std::string>> wrapped;
  size_t height = 1;
  for (size_t i = 0; i < columns.size(); ++i) {
    wrapped.push_back(wrap(cells[i], columns[i].width - 2));
    height = std::max(height, wrapped.back().size());
  }
  std::string text;
  for (size_t y = 0; y < height; ++y) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string cell = y < wrapped[i].size() ? wrapped[i][y] : "";
      text += i == 0 ? line.left : line.between;
      text += fmt::format(" {} ", aligned(cell, columns[i].width - 2, columns[i].align));
    }
    text += std::string(line.right) + "\n";
  }
  return text;
}

}  // namespace

int characters(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string first_characters(const std::string& text, int count) {
  size_t end = 0;
  for (; end < text.size(); ++end)
    if (starts_character(text[end]) && count-- <= 0) break;
  return text.substr(0, end);
}

std::string table_text(const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> titles;
  for (const Column& column : columns) titles.push_back(column.title);
  std::string text =
      rule(columns, kTop) + row_text(columns, titles, kTitles) + rule(columns, kBelowTitles);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) text += rule(columns, kBetween);
    text += row_text(columns, rows[i], kRow);
  }
  return text + rule(columns, kBottom);
}

}  // namespace alula::keras
