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
  size_t x_ = 0, y_ = 0;  // how many tensors each has
};

}  // namespace alula::keras
