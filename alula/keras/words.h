#pragma once
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

/// The words by which users name things: "adam", "relu", "mean_squared_error".
namespace alula::keras {

/// One row of a table of words.
template <class T>
struct Word {
  std::string_view word;
  T value;
};

/// Says that there is no such word, and which ones come near:
///   optimizer: there is no "adamm". Did you mean "adam", "adamw" or "adamax"?
[[noreturn]] void no_such_word(std::string_view what, std::string_view word,
                               const std::vector<std::string_view>& known);

/// The value of a word in a table of `Word`s, or an InvalidArgumentError naming `what`.
///   constexpr Word<Tensor (*)(const Tensor&)> kTable[] = {{"relu", …}, …};
///   look_up("activation", "relu", kTable)
template <class Table>
const auto& look_up(std::string_view what, std::string_view word, const Table& table) {
  for (const auto& row : table)
    if (row.word == word) return row.value;
  std::vector<std::string_view> known;
  for (const auto& row : table) known.push_back(row.word);
  no_such_word(what, word, known);
}

/// A class's name as Keras writes it in the names of objects.
///   snake_case("MaxPooling2D")  ->  "max_pooling2d"
std::string snake_case(std::string_view class_name);

/// The name, or with a number behind it where it was given out before: "dense", "dense_1", …
std::string unique_name(std::string_view name);
/// Starts the numbers again.
void forget_names();

}  // namespace alula::keras
