#pragma once
#include <optional>

#include "alula/data/dataset.h"

namespace alula::data {

/// A pipeline of elements that are all in memory, taken apart for a device that can hold them: the
/// elements, stacked, and which of them come when.
struct Resident {
  Row columns;        // a tensor for each of an element, with all elements along the first axis
  Dataset positions;  // of the elements in the order of the pipeline; batches of them where it
                      // makes batches
};

/// Takes a pipeline apart, if it begins with from_tensor_slices and its steps only choose, order
/// and group elements. The order is the same as that of the pipeline itself.
std::optional<Resident> resident(const Dataset& dataset);

}  // namespace alula::data
