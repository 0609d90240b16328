#pragma once
#include "alula/data/source.h"

namespace alula::data {

/// The samples [begin, end) of a tensor, or of all tensors of a batch.
Tensor rows(const Tensor& x, int64_t begin, int64_t end);
Batch rows(const Batch& arrays, int64_t begin, int64_t end);

struct ArraysOptions {
  int64_t batch_size = 32;
  bool shuffle = false;  // another order at every walk
};

/// Batches of the rows of arrays, in order or shuffled. The last batch may be smaller.
class Arrays final : public Source {
 public:
  /// The first dimension of all arrays must be the same.
  explicit Arrays(Batch arrays, const ArraysOptions& options = {});

  std::unique_ptr<BatchIterator> iterate() override;
  int64_t cardinality() const override;
  int64_t rows() const { return rows_; }

 private:
  Batch arrays_;
  ArraysOptions options_;
  int64_t rows_ = 0;
};

}  // namespace alula::data
