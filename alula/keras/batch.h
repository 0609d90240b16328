#pragma once
#include "alula/data/dataset.h"

namespace alula::keras {

/// What one step takes: a tensor for each input of the model, for each output, and where they count
/// differently a weight a sample for each output.
struct Batch {
  std::vector<Tensor> x;
  std::vector<Tensor> y = {};
  std::vector<Tensor> sample_weight = {};
};

/// The number of samples of arrays, which all must have.
int64_t count_samples(const Batch& arrays);
/// The samples [begin, end) of arrays.
Batch samples_of(const Batch& arrays, int64_t begin, int64_t end);

struct BatchesOptions {
  int64_t batch_size = 32;
  bool shuffle = false;  // another order in every epoch
};
/// Arrays as a data set of batches.
data::Dataset batches_of(const Batch& arrays, const BatchesOptions& options);

/// How many tensors of an element are inputs, and how many are to be compared with outputs; the
/// others are weights. `who` speaks in errors.
struct Parts {
  size_t x = 0, y = 0;
  Parts(const data::ElementSpec& spec, const char* who);
  /// Moves the tensors of an element, or of many stacked, to where they belong.
  void give_out(data::Row& row, Batch& batch) const;
  bool operator==(const Parts&) const = default;
};

/// Reads the elements of a data set as a model takes them: x, (x, y) or (x, y, sample_weight), each
/// a tensor, or a tuple or names of several.
class BatchReader {
 public:
  /// `who` speaks in errors.
  BatchReader(const data::Dataset& dataset, const char* who);
  bool next(Batch& batch);

 private:
  data::Iterator iterator_;
  data::Row row_;
  Parts parts_;
};

}  // namespace alula::keras
