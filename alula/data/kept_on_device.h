#pragma once
#include <mutex>

#include "alula/data/dataset.h"

namespace alula::data {

/// The elements of a pipeline on a device, for readers that compute there: they are put there
/// whole, once, and batches are taken from them where they are.
class KeptOnDevice {
 public:
  /// The pipeline with its elements on the device. Null if it does more than choose, order and
  /// group elements that are in memory, or if the device has no room for them. Many are not worth
  /// it for a `first` reader, who may want but one of them.
  StageRef reader_of(const Dataset& dataset, const Device& device, bool first);

 private:
  std::mutex mutex_;
  Device device_;
  StageRef stage_;  // of the device; null: there is none yet
  bool tried_ = false;
};

}  // namespace alula::data
