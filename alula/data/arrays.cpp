#include "alula/data/arrays.h"

#include "alula/ops/gather.h"
#include "alula/ops/random.h"
#include "alula/ops/range.h"
#include "alula/ops/slice.h"

namespace alula::data {

Tensor rows(const Tensor& x, int64_t begin, int64_t end) {
  if (begin == 0 && end == x.shape()[0]) return x;
  Ints from, size(x.shape().begin(), x.shape().end());
  for (int i = 0; i < x.rank(); ++i) from.push_back(i == 0 ? begin : 0);
  size[0] = end - begin;
  return slice(x, from, size);
}

Batch rows(const Batch& arrays, int64_t begin, int64_t end) {
  const auto pick = [&](const std::vector<Tensor>& from) {
    std::vector<Tensor> to;
    for (const Tensor& x : from) to.push_back(rows(x, begin, end));
    return to;
  };
  return {pick(arrays.x), pick(arrays.y), pick(arrays.sample_weight)};
}

namespace {

class ArraysIterator final : public Iterator {
 public:
  ArraysIterator(const Batch& arrays, int64_t rows, const ArraysOptions& options)
      : arrays_(arrays), rows_(rows), batch_size_(options.batch_size) {
    if (options.shuffle) order_ = random::shuffle(range(0, rows, 1, int64));
  }

  bool next(Batch& batch) override {
    if (at_ >= rows_) return false;
    const int64_t end = std::min(at_ + batch_size_, rows_);
    batch = order_.defined() ? chosen(rows(order_, at_, end)) : rows(arrays_, at_, end);
    at_ = end;
    return true;
  }

 private:
  Batch chosen(const Tensor& indices) const {
    const auto pick = [&](const std::vector<Tensor>& from) {
      std::vector<Tensor> to;
      for (const Tensor& x : from) to.push_back(gather(x, indices));
      return to;
    };
    return {pick(arrays_.x), pick(arrays_.y), pick(arrays_.sample_weight)};
  }

  const Batch arrays_;
  int64_t rows_;
  int64_t batch_size_;
  int64_t at_ = 0;
  Tensor order_;
};

}  // namespace

Arrays::Arrays(Batch arrays, const ArraysOptions& options)
    : arrays_(std::move(arrays)), options_(options) {
  require(!arrays_.x.empty(), "data: there is no input.");
  require(options.batch_size > 0, "data: the batch size must be positive. Got {}.",
          options.batch_size);
  rows_ = -1;
  for (const auto* list : {&arrays_.x, &arrays_.y, &arrays_.sample_weight})
    for (const Tensor& x : *list) {
      require(x.defined() && x.rank() > 0,
              "data: an array needs a first dimension, that of the samples. Got {}.", x);
      if (rows_ < 0) rows_ = x.shape()[0];
      require(x.shape()[0] == rows_,
              "data: the arrays must have the same number of samples, {}. Got {}.", rows_,
              x.spec());
    }
}

std::unique_ptr<Iterator> Arrays::iterate() {
  return std::make_unique<ArraysIterator>(arrays_, rows_, options_);
}

int64_t Arrays::cardinality() const {
  return (rows_ + options_.batch_size - 1) / options_.batch_size;
}

}  // namespace alula::data
