#pragma once
#include "alula/data/traced.h"

namespace alula::data {

/// One walk's calls of a traced function.
class Calls {
 public:
  Calls(const Stage& stage, const Traced& function, const Context& context)
      : stage_(stage), function_(function), variables_(function.variables()), keys_(context.keys) {}

  void run(Row& row, int64_t index) const {
    try {
      function_.run(row, variables_, keys_, index);
    } catch (...) {
      rethrow_from(fmt::format("{}: element {}: ", stage_.title(), index));
    }
  }
  void run_block(Row& block, int64_t count, int64_t first) const {
    try {
      Row results = block;
      function_.run_block(results, count, variables_, keys_, first);
      block = std::move(results);
    } catch (...) {
      for (int64_t i = 0; i < count; ++i) {  // the one that fails says so
        Row row = row_of(block, i);
        run(row, first + i);
      }
      rethrow_from(
          fmt::format("{}: elements {} to {}: ", stage_.title(), first, first + count - 1));
    }
  }

 private:
  const Stage& stage_;
  const Traced& function_;
  Row variables_;
  random::ElementScope::Keys keys_;
};

}  // namespace alula::data
