#pragma once
#include "alula/data/late.h"
#include "alula/keras/batch.h"

namespace alula::keras {

/// All samples, on a device: steps there pick their batches themselves, and make of them what the
/// maps of the pipeline do.
struct ResidentData {
  data::Row columns;    // the samples along each tensor's first axis
  data::Row variables;  // what the maps read
  data::LateMaps maps;
  Parts parts;  // of what comes of them
  Device device;

  /// Columns, then variables.
  std::vector<Tensor> tensors() const {
    std::vector<Tensor> list = columns;
    list.insert(list.end(), variables.begin(), variables.end());
    return list;
  }
};

}  // namespace alula::keras
