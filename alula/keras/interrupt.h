#pragma once

namespace alula::keras {

/// While one lives, the first Ctrl-C (SIGINT) does not end the program: it is noted, for the loop
/// that looks at `interrupted()` to end in good order. The next one before that does what it did
/// before: usually it ends the program, so that one that hangs can be stopped. A program that
/// handles SIGINT itself, or ignores it, is left alone: then nothing is noted.
/// Scopes may lie within each other and in several threads: all of them see it. The last that ends
/// puts things back as they were.
///   const InterruptScope interrupt;
///   while (!interrupt.interrupted()) train_step();
class InterruptScope {
 public:
  InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  ~InterruptScope();

  /// Whether Ctrl-C was pressed since this scope began.
  bool interrupted() const;

 private:
  int seen_before_;
};

}  // namespace alula::keras
