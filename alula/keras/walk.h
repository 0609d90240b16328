#pragma once
#include <optional>

#include "alula/keras/batch.h"
#include "alula/keras/setting.h"

namespace alula::keras {

/// Walks through a data set, an epoch at a time. With a number of steps given, an epoch goes on
/// where the last one stopped.
class Walk {
 public:
  /// `who` speaks in errors.
  Walk(const data::Dataset& dataset, const Setting<int64_t>& steps, const char* who);

  void begin_epoch();
  /// The next batch of this epoch, or the positions of its samples; false at its end.
  bool next(Batch& batch);
  /// How many steps an epoch has, if that is known.
  int64_t steps() const;

  /// Gives positions of samples from now on instead of batches, so that steps can pick their
  /// batches where all the data are: if they are in memory, and no more than half of what a device
  /// has free.
  void keep_for(Device device);
  bool gives_positions() const { return kept_ != nullptr; }
  /// All data on a device, copied there the first time.
  const ResidentData& data_on(Device device);
  /// A batch on the CPU.
  Batch batch_at(const Tensor& positions) const;
  /// Gives batches after all, from the start of the epoch.
  void stop_keeping();

 private:
  bool end();

  data::Dataset dataset_;
  std::optional<data::Dataset> given_;  // while positions are read in its place
  std::unique_ptr<Batch> kept_;         // all samples
  std::unique_ptr<ResidentData> resident_;
  std::optional<BatchReader> reader_;
  int64_t limit_;
  int64_t step_ = 0;
  int64_t seen_;
  const char* who_;
};

}  // namespace alula::keras
