#pragma once
#include <memory>
#include <vector>

#include "alula/core/tensor.h"

/// Where a model's data come from.
namespace alula::data {

/// What one step takes: a tensor for each input of the model, for each output, and where they count
/// differently a weight a sample for each output.
struct Batch {
  std::vector<Tensor> x;
  std::vector<Tensor> y;
  std::vector<Tensor> sample_weight;
};

/// One walk through a source.
class BatchIterator {
 public:
  virtual ~BatchIterator() = default;
  /// Fills in the next batch; false at the end.
  virtual bool next(Batch& batch) = 0;
};

/// Something that can be walked through batch by batch, several times.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::unique_ptr<BatchIterator> iterate() = 0;
  /// The number of batches, or kUnknown.
  virtual int64_t cardinality() const { return kUnknown; }
};

}  // namespace alula::data
