#pragma once
#include <string>

#include "alula/keras/output.h"

namespace alula::keras {

/// Keeps what is printed, for a test to look at.
struct FakeOutput final : Output {
  std::string text;
  bool to_terminal = false;
  int width = 0;

  void write(std::string_view more) override { text += more; }
  bool is_terminal() const override { return to_terminal; }
  int columns() const override { return width; }
};

inline FakeOutput terminal(int columns = 0) {
  FakeOutput output;
  output.to_terminal = true;
  output.width = columns;
  return output;
}

/// Everything that the library prints while it lives.
class CapturedOutput {
 public:
  CapturedOutput() : before_(set_output(&output_)) {}
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  ~CapturedOutput() { set_output(before_); }
  const std::string& text() const { return output_.text; }

 private:
  FakeOutput output_;
  Output* before_;
};

}  // namespace alula::keras
