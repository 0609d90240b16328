#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alula::keras {

/// Named numbers in order: what a step or an epoch gave.
///   logs["accuracy"]
class Logs {
 public:
  using Item = std::pair<std::string, double>;

  Logs() = default;
  Logs(std::initializer_list<Item> items) : items_(items) {}

  /// The number of that name, or an error that lists the names.
  double operator[](std::string_view name) const;
  bool contains(std::string_view name) const;
  /// Changes a number, or adds it at the end.
  void set(std::string_view name, double value);
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  /// The same, by name in alphabetical order: what callbacks see.
  Logs sorted() const;

 private:
  std::vector<Item> items_;
};

/// What `fit` returns: the numbers of each epoch.
///   history["val_loss"].back()
struct History {
  std::vector<int64_t> epoch;
  std::vector<std::pair<std::string, std::vector<double>>> history;
  bool interrupted = false;  // by Ctrl-C

  /// The numbers of that name, one an epoch, or an error that lists the names.
  const std::vector<double>& operator[](std::string_view name) const;
  bool contains(std::string_view name) const;
  /// Adds an epoch's numbers.
  void add(int64_t epoch, const Logs& logs);
};

}  // namespace alula::keras
