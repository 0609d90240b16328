#include "alula/keras/progress_bar.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace alula::keras {
namespace {

constexpr double kSecondsBetweenDrawings = 0.05;
constexpr int kBarWidth = 20;
constexpr std::string_view kBold = "\x1b[1m", kGreen = "\x1b[32m", kGrey = "\x1b[37m",
                           kReset = "\x1b[0m";

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string repeat(std::string_view text, int64_t times) {
  std::string result;
  for (int64_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string number(double value, bool fixed) {
  if (std::isnan(value)) return "nan";  // fmt would show its sign
  return fixed ? fmt::format("{:.4f}", value) : fmt::format("{:.4e}", value);
}

std::string step_time(double seconds) {
  if (seconds >= 1 || seconds == 0) return fmt::format("{:.0f}s/step", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.0f}ms/step", seconds * 1e3);
  return fmt::format("{:.0f}us/step", seconds * 1e6);
}

std::string time_left(double seconds) {
  const auto whole = static_cast<int64_t>(std::min(seconds, 1e15));
  if (seconds > 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  if (seconds > 60) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}s", whole);
}

/// Walks over text by what it shows: `visit(piece, is_shown)` gets one character, or one escape.
template <class Visit>
void for_each_piece(std::string_view text, Visit visit) {
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    const bool escape = text[i] == '\x1b';
    if (escape)
      end = std::min(text.find('m', i), text.size() - 1) + 1;
    else
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    visit(text.substr(i, end - i), !escape);
    i = end;
  }
}

int width_of(std::string_view text) {
  int width = 0;
  for_each_piece(text, [&](std::string_view, bool shown) { width += shown ? 1 : 0; });
  return width;
}

/// What fits in a line; all escapes stay, so that colours end.
std::string cut(std::string_view text, int columns) {
  std::string result;
  int width = 0;
  for_each_piece(text, [&](std::string_view piece, bool shown) {
    if (!shown || width < columns) result += piece;
    width += shown ? 1 : 0;
  });
  return result;
}

std::string without_escapes(std::string_view text) {
  std::string result;
  for_each_piece(text, [&](std::string_view piece, bool shown) {
    if (shown) result += piece;
  });
  return result;
}

}  // namespace

ProgressBar::ProgressBar(const ProgressBarOptions& options)
    : target_(options.target == 0 ? kUnknown : options.target),
      verbose_(options.verbose),
      out_(options.out != nullptr ? *options.out : output()),
      on_terminal_(out_.is_terminal()),
      clock_(options.clock ? options.clock : steady_seconds),
      start_(clock_()) {}

ProgressBar::~ProgressBar() {
  if (line_is_open_) out_.write("\n");
}

void ProgressBar::title(int64_t epoch, int64_t epochs) {
  if (verbose_ > 0 && epochs > 1) out_.write(fmt::format("Epoch {}/{}\n", epoch, epochs));
}

bool ProgressBar::is_due() const {
  if (verbose_ == 0) return false;
  if (first_step_end_ < 0) return true;
  return verbose_ == 1 && on_terminal_ && clock_() - last_drawn_ >= kSecondsBetweenDrawings;
}

void ProgressBar::update(int64_t current, const Logs& logs) {
  if (verbose_ == 0) return;
  note(logs);
  const double now = clock_();
  const double a_step = seconds_a_step(current, now);
  if (verbose_ != 1 || now - last_drawn_ < kSecondsBetweenDrawings || !on_terminal_) return;
  draw(current, now, a_step, false);
}

void ProgressBar::finish(int64_t current, const Logs& logs) {
  if (verbose_ == 0) return;
  if (target_ == kUnknown) target_ = current;
  note(logs);
  const double now = clock_();
  const double a_step = seconds_a_step(current, now);
  if (verbose_ == 2)
    out_.write(plain_line(current, now, a_step));
  else if (on_terminal_)
    draw(current, now, a_step, true);
  else
    out_.write(without_escapes(line(current, now, a_step, true)) + "\n");
  line_is_open_ = false;
}

void ProgressBar::note(const Logs& logs) {
  for (const auto& [name, value] : logs) logs_.set(name, value);
}

/// The first step, which prepares much, is left out as soon as there are others.
double ProgressBar::seconds_a_step(int64_t current, double now) {
  if (current <= 0) return 0;
  const double seconds = first_step_end_ >= 0 && current > 1
                             ? (now - first_step_end_) / static_cast<double>(current - 1)
                             : (now - start_) / static_cast<double>(current);
  if (current == 1) first_step_end_ = now;
  return seconds;
}

std::string ProgressBar::counts(int64_t current) const {
  if (target_ == kUnknown) return fmt::format("{:7}/Unknown", current);
  const std::string target = std::to_string(target_);
  return fmt::format("{:{}}/{}", current, target.size(), target);
}

std::string ProgressBar::values() const {
  std::string text;
  for (const auto& [name, value] : logs_) {
    // Keras's rule for single lines leaves negative numbers out, its rule for the bar doesn't.
    const double size = verbose_ == 2 ? value : std::abs(value);
    text += fmt::format(" - {}: {}", name, number(value, size > 1e-3));
  }
  return text;
}

std::string ProgressBar::line(int64_t current, double now, double a_step, bool at_end) const {
  std::string text = counts(current);
  if (target_ != kUnknown) {
    const int64_t done = std::clamp<int64_t>(
        static_cast<int64_t>(kBarWidth *
                             (static_cast<double>(current) / static_cast<double>(target_))),
        0, kBarWidth);
    text = fmt::format("{}{}{} ", kBold, text, kReset);
    if (done > 0) text += fmt::format("{}{}{}", kGreen, repeat("━", done), kReset);
    text += fmt::format("{}{}{}", kGrey, repeat("━", kBarWidth - done), kReset);
  }
  const bool knows_rest = target_ != kUnknown && !at_end;
  const std::string time =
      knows_rest ? time_left(a_step * static_cast<double>(std::max<int64_t>(target_ - current, 0)))
                 : fmt::format("{:.0f}s", now - start_);
  return text + fmt::format(" {}{}{} {}{}", kBold, time, kReset, step_time(a_step), values());
}

std::string ProgressBar::plain_line(int64_t current, double now, double a_step) const {
  return fmt::format("{} - {:.0f}s - {}{}\n", counts(current), now - start_, step_time(a_step),
                     values());
}

/// Goes back over the line that was drawn last, and draws a new one that covers it.
void ProgressBar::draw(int64_t current, double now, double a_step, bool at_end) {
  std::string text = line(current, now, a_step, at_end);
  // A line that wraps could not be drawn over, so it is cut until it stays.
  if (const int columns = out_.columns(); columns > 1 && !at_end) text = cut(text, columns - 1);
  const int width = width_of(text);
  std::string drawing = repeat("\b", drawn_width_) + "\r" + text;
  drawing += repeat(" ", drawn_width_ - width);
  if (at_end) drawing += "\n";
  out_.write(drawing);
  drawn_width_ = width;
  line_is_open_ = !at_end;
  last_drawn_ = now;
}

}  // namespace alula::keras
