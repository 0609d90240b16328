#pragma once
#include <functional>
#include <random>

#include "alula/ops/all.h"
#include "alula/runtime/variable.h"

/// Random programs of a few ops: what the fuzzer runs eagerly and compiled.
namespace alula::graph::fuzz {

/// Numbers from a seed, the same everywhere.
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(limit));
  }
  int64_t between(int64_t least, int64_t most) { return least + below(most - least + 1); }
  bool chance(double probability) {
    return static_cast<double>(engine_() >> 11) * 0x1p-53 < probability;
  }
  double number(double least, double most) {
    return least + (most - least) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(below(static_cast<int64_t>(choices.size())))];
  }
  Tensor tensor(const Spec& spec);
  Shape shape(int least_rank = 0);

 private:
  std::mt19937_64 engine_;
};

/// One call or several: from all values so far to new ones.
using Run = std::function<std::vector<Tensor>(const std::vector<Tensor>& values)>;

/// A program: its steps give values that later ones may use; some of them are its results.
struct Program {
  std::vector<Tensor> inputs;
  std::vector<Variable> variables;
  std::vector<Tensor> initial;  // of the variables
  std::vector<Run> steps;
  std::vector<size_t> results;

  std::vector<Tensor> operator()(const std::vector<Tensor>& inputs) const;
  /// Puts variables and random numbers back to the beginning.
  void reset() const;
};

/// Makes programs up, step by step. A step whose results depend on the last bits of what it reads,
/// or grow large, is given up: what is left agrees to rounding however it is computed.
class Maker {
 public:
  explicit Maker(uint64_t seed) : dice_(seed) {}
  Program operator()();

 private:
  /// A value so far; exact if no rounding went into it, so that comparing it is safe.
  struct Known {
    Tensor value;
    bool exact = true;
  };
  enum class Kind : uint8_t { kSmooth, kExact, kEffect };
  using Filter = std::function<bool(const Tensor&)>;

  /// Takes a step if its results are fit; `reads` are the values that it depends on.
  bool take(const std::vector<size_t>& reads, const Run& run, Kind kind = Kind::kSmooth);
  bool is_stable(const std::vector<size_t>& reads, const Run& run,
                 const std::vector<Tensor>& results);
  std::vector<Tensor> values() const;
  /// A value that passes the filter, rather a late one; -1 if there is none.
  int64_t pick(const Filter& filter);
  bool is_exact(const std::vector<size_t>& reads) const;

  void step();
  void smooth_step();
  void start();

  // The families. Each tries one step.
  void elementwise();
  void with_number();
  void choose();
  void reduce();
  void product();
  void image();
  void reshaping();
  void moving();
  void joining();
  void gathering();
  void probabilities();
  void casting();
  void state();
  void random_numbers();
  void gradient();
  void control();

  Dice dice_;
  Program program_;
  std::vector<Known> known_;
  bool inside_tape_ = false;
  int control_depth_ = 0;
  int64_t seeds_ = 0;
};

}  // namespace alula::graph::fuzz
