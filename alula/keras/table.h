#pragma once
#include <string>
#include <vector>

/// Tables of text, drawn with lines, as the Python package rich draws them for Keras.
namespace alula::keras {

struct Column {
  enum class Align { kLeft, kRight, kCenter };
  std::string title;
  int width = 0;  // with one blank on either side
  Align align = Align::kLeft;
};

/// A table with a rule between any two rows. Text is wrapped at blanks; a word that is longer than
/// the column is cut and ends in "…".
std::string table_text(const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows);

/// How many characters there are.
int characters(const std::string& text);
/// The first characters.
std::string first_characters(const std::string& text, int count);

}  // namespace alula::keras
