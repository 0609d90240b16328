#pragma once
#include <optional>

#include "alula/data/dataset.h"
#include "alula/data/late.h"

namespace alula::data {

/// A pipeline of elements that are all in memory, taken apart for a device that can hold them: the
/// elements, stacked, which of them come when, and what is made of a batch of them there.
struct Resident {
  Row columns;        // a tensor for each of an element, with all elements along the first axis
  Dataset positions;  // Picks, a batch at a time, in the order of the pipeline
  LateMaps maps;
  std::vector<StageRef> mapped;  // the steps that they were
  StageRef source;
};

/// Takes a pipeline of batches apart, if it begins with from_tensor_slices and its steps only
/// choose, order and group elements, or map them with ops that the device has kernels for. The
/// elements are the same as those of the pipeline itself, and so is their order. For a pipeline
/// that must run on the host, the step at fault says so in `explain`.
std::optional<Resident> resident(const Dataset& dataset, Device device);

}  // namespace alula::data
