#pragma once
#include <deque>
#include <memory>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "alula/runtime/dispatch.h"
#include "alula/runtime/variable.h"

namespace alula {

/// What a gradient is taken with respect to: a variable or a tensor.
class GradientSource {
 public:
  GradientSource(const Variable& variable) : variable_(variable) {}
  GradientSource(const Tensor& tensor) : tensor_(tensor) {}

 private:
  friend class GradientTape;
  Variable variable_;
  Tensor tensor_;
};

struct GradientTapeOptions {
  bool persistent = false;  // `gradient` may be called more than once
  bool watch_accessed_variables = true;
};

enum class UnconnectedGradients : uint8_t {
  kNone,  // an undefined tensor
  kZero,
};

struct GradientOptions {
  Tensor output_gradients = {};  // what the target's gradient starts from; ones if undefined
  UnconnectedGradients unconnected_gradients = UnconnectedGradients::kNone;
};

/// Records the ops of its thread from when it is made until `gradient` or `stop` is called, and
/// then tells how a result depends on variables and watched tensors.
///   Variable w(Tensor(3.0));
///   GradientTape tape;
///   Tensor y = w * w;
///   tape.gradient(y, w)  ->  6
/// Trainable variables are watched when they are read. Tapes nest: gradients are made of ops, which
/// an outer tape records.
class GradientTape final {
 public:
  explicit GradientTape(const GradientTapeOptions& options = {}) : options_(options) { resume(); }
  ~GradientTape() { stop(); }
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  /// Makes results depend on a tensor, or on a variable that is not watched by itself.
  void watch(const Tensor& tensor);
  void watch(const Variable& variable);

  /// The gradient of (the sum of) `target`. Undefined where the target does not depend on the
  /// source. A tape that is not persistent stops recording and is used up.
  Tensor gradient(const Tensor& target, const GradientSource& source,
                  const GradientOptions& options = {});
  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Variable>& sources,
                               const GradientOptions& options = {});
  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Tensor>& sources,
                               const GradientOptions& options = {});
  std::vector<Tensor> gradient(const Tensor& target, std::initializer_list<GradientSource> sources,
                               const GradientOptions& options = {});
  /// The same of the sum of several targets. `output_gradients`: one for each, or none at all.
  std::vector<Tensor> gradient(std::span<const Tensor> targets,
                               std::span<const GradientSource> sources,
                               std::span<const Tensor> output_gradients,
                               UnconnectedGradients unconnected_gradients);

  /// The variables read so far that are watched, in the order in which they were first read.
  std::vector<Variable> watched_variables() const;

  /// Recording pauses while what this returns lives.
  class [[nodiscard]] Pause {
   public:
    explicit Pause(GradientTape& tape) : tape_(tape) { ++tape_.paused_; }
    ~Pause() { --tape_.paused_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    GradientTape& tape_;
  };
  Pause stop_recording() { return Pause(*this); }
  /// Recording ends; gradients may still be taken. `resume` goes on with it, in the thread that
  /// calls it.
  void stop();
  void resume();
  bool is_recording() const { return ear_ != nullptr; }
  /// Forgets all that was recorded and watched.
  void reset();

 private:
  struct Node {
    std::unique_ptr<Op> op;
    IndexSet
        tracked;  // inputs that depended on what was watched, and whose values were kept for it
    InlineVector<Kept, 3> inputs;
    InlineVector<Kept, 1> outputs;
  };
  struct Watched {
    Variable variable;
    std::vector<uint64_t> reads;  // the tensors that it was read as
  };

  /// What hears of the ops of a thread. It tells the tape as long as that wants to know.
  struct Ear final : Listener {
    explicit Ear(GradientTape* tape) : tape(tape) {}
    void ran(const Op& op, Device, TensorRefs inputs, std::span<const Tensor> outputs) override {
      if (tape != nullptr) tape->ran(op, inputs, outputs);
    }
    void read(const Variable& variable, const Tensor& value) override {
      if (tape != nullptr) tape->read(variable, value);
    }
    GradientTape* tape;
    std::thread::id thread = std::this_thread::get_id();
  };

  void ran(const Op& op, TensorRefs inputs, std::span<const Tensor> outputs);
  void read(const Variable& variable, const Tensor& value);
  bool is_tracked(const Tensor& tensor) const;
  std::vector<uint64_t> ids_of(const GradientSource& source) const;
  void check(std::span<const Tensor> targets, std::span<const GradientSource> sources,
             std::span<const Tensor> seeds) const;
  std::vector<Tensor> run(const Tensor& target, std::span<const GradientSource> sources,
                          const GradientOptions& options);

  GradientTapeOptions options_;
  std::unique_ptr<Ear> ear_;  // while it records
  int paused_ = 0;
  bool used_ = false;
  std::deque<Node> nodes_;                // addresses stay while gradients are recorded, too
  std::unordered_set<uint64_t> tracked_;  // tensors that depend on what is watched
  std::vector<Watched> variables_;
  std::unordered_map<const void*, size_t> variable_index_;
};

}  // namespace alula
