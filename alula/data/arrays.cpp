#include "alula/data/arrays.h"

#include <cstring>

#include "alula/ops/gather.h"
#include "alula/ops/random.h"
#include "alula/ops/range.h"
#include "alula/ops/slice.h"
#include "alula/runtime/team.h"

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

/// Whether rows can be copied as bytes.
bool is_plain(const Tensor& array) { return array.device().is_cpu() && array.dtype() != string; }

/// A tensor of these rows to write to: the one that is there if nobody else holds it.
Tensor& room_for(Tensor& place, const Tensor& array, int64_t rows) {
  Spec spec = array.spec();
  spec.shape[0] = rows;
  if (!place.defined() || !place.unique() || !place.device().is_cpu() || place.spec() != spec)
    place = Tensor::uninitialized(spec);
  return place;
}

/// What it takes to copy a row of so many bytes.
double nanoseconds_a_row(int64_t bytes) { return 3 + static_cast<double>(bytes) / 10; }

class ArraysIterator final : public BatchIterator {
 public:
  ArraysIterator(const Batch& arrays, int64_t rows, const ArraysOptions& options)
      : arrays_(arrays), rows_(rows), batch_size_(options.batch_size) {
    if (options.shuffle) order_ = random::shuffle(range(0, rows, 1, int64)).cpu();
  }

  /// Batches of one size are written to the same memory, unless somebody has kept the last one.
  bool next(Batch& batch) override {
    if (at_ >= rows_) return false;
    const int64_t end = std::min(at_ + batch_size_, rows_);
    pick(arrays_.x, batch.x, end);
    pick(arrays_.y, batch.y, end);
    pick(arrays_.sample_weight, batch.sample_weight, end);
    at_ = end;
    return true;
  }

 private:
  void pick(const std::vector<Tensor>& from, std::vector<Tensor>& to, int64_t end) const {
    to.resize(from.size());
    for (size_t i = 0; i < from.size(); ++i)
      if (order_.defined())
        gather_rows(from[i], to[i], end);
      else
        copy_rows(from[i], to[i], end);
  }

  void copy_rows(const Tensor& from, Tensor& to, int64_t end) const {
    if (!is_plain(from) || (at_ == 0 && end == rows_)) {
      to = data::rows(from, at_, end);
      return;
    }
    const int64_t row = from.bytes() / rows_;
    auto* place = static_cast<char*>(room_for(to, from, end - at_).mutable_data());
    const auto* rows = static_cast<const char*>(from.data()) + at_ * row;
    team::parallel_for(end - at_, nanoseconds_a_row(row), [&](int64_t first, int64_t last) {
      if (row > 0)
        std::memcpy(place + first * row, rows + first * row,
                    static_cast<size_t>((last - first) * row));
    });
  }

  void gather_rows(const Tensor& from, Tensor& to, int64_t end) const {
    if (!is_plain(from)) {
      to = gather(from, data::rows(order_, at_, end));
      return;
    }
    const int64_t row = from.bytes() / rows_;
    auto* place = static_cast<char*>(room_for(to, from, end - at_).mutable_data());
    const auto* rows = static_cast<const char*>(from.data());
    const int64_t* order = order_.span<int64_t>().data() + at_;
    team::parallel_for(end - at_, nanoseconds_a_row(row), [&](int64_t first, int64_t last) {
      if (row > 0)
        for (int64_t i = first; i < last; ++i)
          std::memcpy(place + i * row, rows + order[i] * row, static_cast<size_t>(row));
    });
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

std::unique_ptr<BatchIterator> Arrays::iterate() {
  return std::make_unique<ArraysIterator>(arrays_, rows_, options_);
}

int64_t Arrays::cardinality() const {
  return (rows_ + options_.batch_size - 1) / options_.batch_size;
}

}  // namespace alula::data
