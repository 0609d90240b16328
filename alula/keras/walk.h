#pragma once
#include <optional>

#include "alula/data/resident.h"
#include "alula/keras/resident_data.h"
#include "alula/keras/setting.h"

namespace alula::keras {

/// Walks through a data set, an epoch at a time. With a number of steps given, an epoch goes on
/// where the last one stopped.
class Walk {
 public:
  /// `who` speaks in errors.
  Walk(const data::Dataset& dataset, const Setting<int64_t>& steps, const char* who);

  void begin_epoch();
  /// The next batch of this epoch, or, as its x, which samples it has; false at its end.
  bool next(Batch& batch);
  /// How many steps an epoch has, if that is known.
  int64_t steps() const;

  /// Gives data::Picks from now on instead of batches, so that steps can pick their batches where
  /// all the data are: if they are in memory, and no more than half of what a device has free.
  void keep_for(Device device);
  bool gives_picks() const { return kept_ != nullptr; }
  /// All data on a device, copied there the first time.
  const ResidentData& data_on(Device device);
  /// A batch on the CPU.
  Batch batch_at(const data::Picks& picks) const;
  /// Gives batches after all, from the start of an epoch, which is to follow.
  void stop_keeping();
  /// Whether that is better where steps turn out to run on the CPU: there a pipeline maps ahead of
  /// them. One that goes on where the last epoch stopped cannot change.
  bool maps_better_ahead() const {
    return kept_ != nullptr && !kept_->maps.empty() && limit_ == kUnknown;
  }
  /// Puts batches that come from the host on a device, ahead of their steps; from the next epoch
  /// on, if one is under way.
  void put_ahead_on(Device device);

 private:
  bool end();
  void begin_reading();

  data::Dataset dataset_;
  std::optional<data::Dataset> given_;    // while something else is read in its place
  Device ahead_on_;                       // where batches are put
  std::unique_ptr<data::Resident> kept_;  // all samples, and what is made of them
  data::Row variables_;                   // that maps read, as they were when reading began
  std::unique_ptr<ResidentData> resident_;
  std::optional<BatchReader> reader_;
  int64_t limit_;
  int64_t step_ = 0;
  int64_t seen_;
  const char* who_;
};

}  // namespace alula::keras
