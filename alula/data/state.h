#pragma once
#include <string>
#include <string_view>

#include "alula/core/tensor.h"

/// Where an iterator is, as bytes: what each step of a pipeline writes, and reads again in the same
/// order.
namespace alula::data {

class StateWriter {
 public:
  /// Names what follows, so that a state for another pipeline is recognised.
  void tag(std::string_view name);
  void number(int64_t value);
  void text(std::string_view value);
  void tensor(const Tensor& value);
  void tensors(const std::vector<Tensor>& values);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Throws DataLossError where the bytes are not what is asked for.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : left_(bytes) {}
  void tag(std::string_view name);
  int64_t number();
  /// A number that counts something: at least 0.
  int64_t count();
  std::string text();
  Tensor tensor();
  std::vector<Tensor> tensors();
  bool done() const { return left_.empty(); }

 private:
  std::string_view take(uint64_t count);
  std::string_view left_;
};

/// A state with what it takes to recognise damage; and back.
std::string sealed(std::string_view pipeline, const std::string& state);
std::string_view unsealed(std::string_view pipeline, std::string_view bytes);

}  // namespace alula::data
