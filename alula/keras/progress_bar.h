#pragma once
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "alula/core/shape.h"
#include "alula/keras/logs.h"
#include "alula/keras/output.h"

namespace alula::keras {

struct ProgressBarOptions {
  int64_t target = kUnknown;           // the number of steps
  int verbose = 1;                     // 0 nothing, 1 the bar, 2 a line at the end
  Output* out = nullptr;               // `output()`
  std::function<double()> clock = {};  // in seconds; a steady one
};

/// How far an epoch is, as Keras shows it:
///   313/313 ━━━━━━━━━━━━━━━━━━━━ 1s 2ms/step - accuracy: 0.9000 - loss: 0.3000
/// On a terminal it is drawn over again at most 20 times a second, cut to the terminal's width
/// until the end. Elsewhere only the last state is printed, without control characters (Keras would
/// print them into files, too).
class ProgressBar {
 public:
  explicit ProgressBar(const ProgressBarOptions& options);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Ends the line that was begun, if `finish` was not called.
  ~ProgressBar();

  /// `Epoch 1/3`, on a line of its own, if there is more than one.
  void title(int64_t epoch, int64_t epochs);
  /// Whether `update` would draw or take the time: if not, it need not be called, and nobody has to
  /// find out what the numbers are.
  bool is_due() const;
  /// Shows the numbers after so many steps. They keep the order in which they first came.
  void update(int64_t current, const Logs& logs);
  /// The last state. A target that was not known is now.
  void finish(int64_t current, const Logs& logs);

 private:
  void note(const Logs& logs);
  double seconds_a_step(int64_t current, double now);
  std::string counts(int64_t current) const;
  std::string values() const;
  std::string line(int64_t current, double now, double a_step, bool at_end) const;
  std::string plain_line(int64_t current, double now, double a_step) const;
  void draw(int64_t current, double now, double a_step, bool at_end);

  int64_t target_;
  int verbose_;
  Output& out_;
  bool on_terminal_;
  std::function<double()> clock_;
  double start_;
  double last_drawn_ = -std::numeric_limits<double>::infinity();
  double first_step_end_ = -1;  // none yet
  Logs logs_;
  int drawn_width_ = 0;  // of what stands in the terminal's line
  bool line_is_open_ = false;
};

}  // namespace alula::keras
