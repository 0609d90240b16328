#pragma once
#include "alula/data/traced.h"

/// Maps that are taken out of a pipeline, and applied to its batches after these were picked from
/// all the data.
namespace alula::data {

/// What is read in place of a batch: the positions of its elements, and for each map that draws
/// random numbers what it draws by.
using Picks = Row;

/// What maps draw by in the batches to come.
class LateDraws {
 public:
  /// These come next, in order.
  void expect(std::span<const Picks> picks);
  /// What a map's random op number `call` draws from. `note`: where picks say what by.
  std::shared_ptr<random::Source> source(size_t note, uint64_t call) const;

 private:
  class Source;
  struct Expected {
    std::vector<Picks> picks;
    uint64_t times = 0;  // how often picks were expected
  };
  std::shared_ptr<Expected> expected_ = std::make_shared<Expected>();
};

class LateMaps {
 public:
  struct Map {
    std::shared_ptr<const Traced> function;
    bool each = true;  // of each element of a batch; else of the batch as a whole
    size_t note = 0;   // which tensor of picks says what it draws by; 0: it draws nothing
    std::string title;
  };
  void add(Map map) { maps_.push_back(std::move(map)); }
  bool empty() const { return maps_.empty(); }
  /// Whether they do the same.
  bool operator==(const LateMaps& other) const;

  /// The values of the variables that they read, as they are now.
  Row variables() const;
  size_t variable_count() const;
  /// What they make of the elements that were picked, on the CPU.
  void apply(Row& batch, const Picks& picks, const Row& variables) const;
  /// The same in a function that is being traced, for batches of `size` elements.
  void apply_later(Row& batch, int64_t size, const Row& variables, const LateDraws& draws) const;

 private:
  std::vector<Map> maps_;
};

/// A step that stands where a map was: it adds to positions what the map draws by.
StageRef noting(const StageRef& positions);
/// A step that stands where another was, and does nothing.
StageRef standing_for(const Stage& step, const StageRef& positions);

}  // namespace alula::data
