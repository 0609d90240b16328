#pragma once
#include "alula/data/stage.h"

namespace alula::data {

/// How batches are taken from elements: what batch and padded_batch have in common.
struct Batches {
  int64_t size = 1;
  bool drop_remainder = false;

  /// How many there are of so many elements.
  int64_t of(int64_t elements) const {
    if (elements < 0) return elements;
    return elements / size + (!drop_remainder && elements % size != 0 ? 1 : 0);
  }
  /// Whether so many elements at the end are one.
  bool gives(int64_t elements) const {
    return elements == size || (elements > 0 && !drop_remainder);
  }
  /// The first dimension of all: known if the last one is left out, or is whole.
  int64_t dimension(int64_t elements) const {
    const bool whole = drop_remainder || elements == kInfiniteCardinality ||
                       (elements > 0 && elements % size == 0);
    return whole ? size : kUnknown;
  }
};

}  // namespace alula::data
