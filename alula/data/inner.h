#pragma once
#include <mutex>

#include "alula/data/dataset.h"

namespace alula::data {

/// A user's function that makes a data set of each element: what flat_map and interleave read.
class InnerDatasets {
 public:
  /// `who` speaks in errors. What the data sets give is found out from that of the first element.
  InnerDatasets(const char* who, DatasetFunction function, const Stage& input);

  const ElementSpec& spec() const { return spec_; }
  /// The data set of an element. One call at a time.
  StageRef make(const Stage& who, const ElementSpec& input, const Row& row, int64_t index) const;

 private:
  ElementSpec probe(const char* who, const Stage& input) const;

  DatasetFunction function_;
  ElementSpec spec_;
  mutable std::mutex mutex_;
};

/// A walk through one of those data sets. What it gives is checked where only that can tell.
class InnerWalk {
 public:
  InnerWalk(const Stage& who, const InnerDatasets& datasets, Row element, int64_t index,
            const Context& context);

  bool next(Row& row);
  int64_t next_block(int64_t count, Row& block, std::exception_ptr& error);
  const Row& element() const { return element_; }
  int64_t index() const { return index_; }
  Walk& walk() { return *walk_; }

 private:
  void check(const Row& row, int first_axis) const;
  [[noreturn]] void rethrow() const;

  const Stage& who_;
  Row element_;
  int64_t index_;
  StageRef stage_;
  bool must_check_ = false;
  WalkRef walk_;
};

}  // namespace alula::data
