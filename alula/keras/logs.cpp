#include "alula/keras/logs.h"

#include <algorithm>

#include "alula/core/error.h"

namespace alula::keras {
namespace {

template <class Items>
auto find(Items& items, std::string_view name) {
  return std::find_if(items.begin(), items.end(),
                      [&](const auto& item) { return item.first == name; });
}

template <class Items>
[[noreturn]] void no_such_name(const char* who, std::string_view name, const Items& items) {
  std::string names;
  for (const auto& item : items) names += (names.empty() ? "" : ", ") + item.first;
  fail<NotFoundError>("{}: there is no \"{}\". There are: {}.", who, name, names);
}

}  // namespace

double Logs::operator[](std::string_view name) const {
  const auto found = find(items_, name);
  if (found == items_.end()) no_such_name("logs", name, items_);
  return found->second;
}

bool Logs::contains(std::string_view name) const { return find(items_, name) != items_.end(); }

void Logs::set(std::string_view name, double value) {
  const auto found = find(items_, name);
  if (found != items_.end())
    found->second = value;
  else
    items_.emplace_back(name, value);
}

Logs Logs::sorted() const {
  Logs logs = *this;
  std::sort(logs.items_.begin(), logs.items_.end());
  return logs;
}

const std::vector<double>& History::operator[](std::string_view name) const {
  const auto found = find(history, name);
  if (found == history.end()) no_such_name("history", name, history);
  return found->second;
}

bool History::contains(std::string_view name) const { return find(history, name) != history.end(); }

void History::add(int64_t number, const Logs& logs) {
  epoch.push_back(number);
  for (const auto& [name, value] : logs) {
    const auto found = find(history, name);
    if (found != history.end())
      found->second.push_back(value);
    else
      history.emplace_back(name, std::vector<double>{value});
  }
}

}  // namespace alula::keras
