#include "alula/keras/words.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

#include "alula/core/error.h"

namespace alula::keras {
namespace {

constexpr size_t kMostSuggestions = 3;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

/// How many characters must be changed, added or left out to come from one word to the other. Small
/// and capital letters count as the same.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// "a", "b" or "c"
std::string listed(const std::vector<std::string_view>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += fmt::format("\"{}\"", words[i]);
  }
  return text;
}

std::mutex g_names_mutex;
std::map<std::string, int, std::less<>>& given_names() {
  static std::map<std::string, int, std::less<>> names;
  return names;
}

}  // namespace

void no_such_word(std::string_view what, std::string_view word,
                  const std::vector<std::string_view>& known) {
  std::vector<std::pair<size_t, std::string_view>> near;
  const size_t farthest = std::max<size_t>(2, word.size() / 3);
  for (std::string_view other : known)
    if (const size_t d = distance(word, other); d <= farthest) near.emplace_back(d, other);
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.empty()) fail("{}: there is no \"{}\". There are {}.", what, word, listed(known));
  std::vector<std::string_view> words;
  for (size_t i = 0; i < std::min(near.size(), kMostSuggestions); ++i)
    words.push_back(near[i].second);
  fail("{}: there is no \"{}\". Did you mean {}?", what, word, listed(words));
}

std::string snake_case(std::string_view class_name) {
  std::string letters;
  for (char c : class_name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') letters += c;
  std::string text;
  for (size_t i = 0; i < letters.size(); ++i) {
    const bool before_small =
        i > 0 && is_upper(letters[i]) && i + 1 < letters.size() && is_lower(letters[i + 1]);
    const bool after_small = i > 0 && is_upper(letters[i]) && is_lower(letters[i - 1]);
    if (before_small || after_small) text += '_';
    text += lower(letters[i]);
  }
  return text;
}

std::string unique_name(std::string_view name) {
  const std::lock_guard lock(g_names_mutex);
  auto& names = given_names();
  const auto found = names.find(name);
  if (found == names.end()) {
    names.emplace(name, 1);
    return std::string(name);
  }
  return fmt::format("{}_{}", name, found->second++);
}

void forget_names() {
  const std::lock_guard lock(g_names_mutex);
  given_names().clear();
}

}  // namespace alula::keras
