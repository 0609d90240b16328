#pragma once
#include <string>
#include <string_view>

namespace alula {

/// Where training, `summary` and `profile` print. Nothing else in the library does.
class Output {
 public:
  virtual ~Output() = default;
  /// Prints, at once.
  virtual void write(std::string_view text) = 0;
  /// Whether a line on it can be drawn over again, with colours.
  virtual bool is_terminal() const { return false; }
  /// How many characters fit on a line; 0 if that is not known.
  virtual int columns() const { return 0; }
};

/// The standard output, unless another was set.
Output& output();
/// Prints there from now on; null brings the standard output back. It must live as long as it is
/// used. Returns the one before.
Output* set_output(Output* output);

}  // namespace alula
