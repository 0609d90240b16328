#pragma once
#include "alula/data/stage.h"

namespace alula::data {

/// The elements of an input, for steps that must know how many have gone by: those that keep inputs
/// in step, or count. After an error what was asked for is passed over whole, so that a block that
/// failed is as many elements as one that did not.
///
/// How much of a block a walk had read when it failed, only the walk knows. So if reading goes on
/// then, it is in a walk of its own, element by element, from the first one to that place.
class CountedInput {
 public:
  /// `input` must outlive it.
  CountedInput(const Stage& input, const Context& context);

  bool next(Row& row);
  int64_t next_block(int64_t count, Row& block);
  int64_t skip(int64_t count);

  /// How many elements have gone by, those that failed among them.
  int64_t position() const { return at_; }
  /// Goes on at a later place. Nothing is said of elements that fail on the way.
  void go_to(int64_t position);

  void save(StateWriter& state);
  void restore(StateReader& state);

 private:
  template <class F>
  int64_t take(int64_t count, const F& read);
  void catch_up();
  void walk_singly();

  const Stage& input_;
  Context context_;
  WalkRef walk_;
  bool singly_;        // an error costs one element
  bool lost_ = false;  // where the walk is, is not known
  int64_t at_ = 0;
  int64_t behind_ = 0;  // elements that have gone by, but not in the walk
};

}  // namespace alula::data
