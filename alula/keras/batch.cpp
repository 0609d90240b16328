#include "alula/keras/batch.h"

#include "alula/ops/slice.h"

namespace alula::keras {

int64_t count_samples(const Batch& arrays) {
  require(!arrays.x.empty(), "data: there is no input.");
  int64_t count = -1;
  for (const auto* list : {&arrays.x, &arrays.y, &arrays.sample_weight})
    for (const Tensor& array : *list) {
      require(array.defined() && array.rank() > 0,
              "data: an array needs a first dimension, that of the samples. Got {}.", array);
      if (count < 0) count = array.shape()[0];
      require(array.shape()[0] == count,
              "data: the arrays must have the same number of samples, {}. Got {}.", count,
              array.spec());
    }
  return count;
}

Batch samples_of(const Batch& arrays, int64_t begin, int64_t end) {
  const auto pick = [&](const std::vector<Tensor>& from) {
    std::vector<Tensor> to;
    for (const Tensor& array : from) to.push_back(array.cpu().rows(begin, end));
    return to;
  };
  return {pick(arrays.x), pick(arrays.y), pick(arrays.sample_weight)};
}

data::Dataset batches_of(const Batch& arrays, const BatchesOptions& options) {
  const int64_t samples = count_samples(arrays);
  require(options.batch_size > 0, "data: the batch size must be positive. Got {}.",
          options.batch_size);
  std::vector<data::Element> parts;
  for (const auto* list : {&arrays.x, &arrays.y, &arrays.sample_weight})
    parts.push_back(data::Element::tuple({list->begin(), list->end()}));
  data::Dataset dataset = data::Dataset::from_tensor_slices(data::Element::tuple(parts));
  if (options.shuffle && samples > 1) dataset = dataset.shuffle(samples);
  return dataset.batch(options.batch_size);
}

Parts::Parts(const data::ElementSpec& spec, const char* who) {
  using Kind = data::Structure::Kind;
  const data::Structure& structure = spec.structure;
  if (structure.kind != Kind::kTuple) {  // inputs alone
    x = structure.leaves();
  } else {
    require(!structure.items.empty() && structure.items.size() <= 3,
            "{}: the elements of a data set are x, (x, y) or (x, y, sample_weight). Got {}.", who,
            spec);
    x = structure.items[0].leaves();
    y = structure.items.size() > 1 ? structure.items[1].leaves() : 0;
  }
}

void Parts::give_out(data::Row& row, Batch& batch) const {
  const auto take = [&](std::vector<Tensor>& to, size_t begin, size_t end) {
    to.resize(end - begin);
    for (size_t i = begin; i < end; ++i) to[i - begin] = std::move(row[i]);
  };
  take(batch.x, 0, x);
  take(batch.y, x, x + y);
  take(batch.sample_weight, x + y, row.size());
}

BatchReader::BatchReader(const data::Dataset& dataset, const char* who)
    : iterator_(dataset.iterator()), parts_(dataset.element_spec(), who) {}

bool BatchReader::next(Batch& batch) {
  if (!iterator_.next(row_)) return false;
  parts_.give_out(row_, batch);
  return true;
}

}  // namespace alula::keras
