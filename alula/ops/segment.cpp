#include "alula/ops/segment.h"

#include <algorithm>

#include "alula/ops/batching.h"
#include "alula/ops/cast.h"
#include "alula/ops/fill.h"
#include "alula/ops/floordiv.h"
#include "alula/ops/gather.h"
#include "alula/ops/maximum.h"
#include "alula/ops/operators.h"
#include "alula/ops/range.h"
#include "alula/ops/reshape.h"
#include "alula/ops/scatter_nd.h"
#include "alula/ops/slice.h"
#include "alula/ops/sqrt.h"
#include "alula/ops/tile.h"
#include "alula/ops/where.h"

namespace alula {
namespace {

const RegisterOp<ScatterUpdate> registered;

/// The values of a tensor of integers that has them.
std::vector<int64_t> values_of(const char* who, const Tensor& x) {
  require(x.defined() && is_integer(x.dtype()), "{}: takes integers. Got {}.", who,
          x.defined() ? x.spec() : Spec());
  require(!x.is_symbolic(), "{}: needs values when it is called, not when a graph runs. Got {}.",
          who, x.spec());
  return cast(x.cpu(), int64).to_vector<int64_t>();
}

void check_segments(const char* who, const Tensor& data, const Tensor& ids, int64_t count) {
  require(data.defined() && ids.defined(), "{}: an input is not defined yet.", who);
  require(kIndexTypes.contains(ids.dtype()), "{}: the ids must be int32 or int64. Got {}.", who,
          ids.spec());
  require(ids.rank() <= data.rank() && compatible(data.shape().slice(0, ids.rank()), ids.shape()),
          "{}: the ids must have the first dimensions of data. Got data {}, ids {}.", who,
          data.spec(), ids.spec());
  require(count >= 0, "{}: num_segments must not be negative. Got {}.", who, count);
}

/// How many slices each group has, of data's dtype, to be broadcast; at least 1.
Tensor counts(const Tensor& data, const Tensor& ids, int64_t num_segments) {
  const Tensor found = unsorted_segment_sum(ones(ids.shape(), data.dtype()), ids, num_segments);
  Shape shape(std::vector<int64_t>(static_cast<size_t>(data.rank() - ids.rank() + 1), 1));
  shape[0] = num_segments;
  return reshape(maximum(found, 1), shape);
}

int64_t segments_of(const char* who, const Tensor& ids) {
  const std::vector<int64_t> all = values_of(who, ids);
  require(ids.rank() == 1 && std::is_sorted(all.begin(), all.end()) && (all.empty() || all[0] >= 0),
          "{}: the ids must be a vector of ascending numbers, not negative. Got {}.", who,
          ids.spec());
  return all.empty() ? 0 : all.back() + 1;
}

/// A copy of the first input with the slices of the last one where the indices say.
template <class T, class Index>
void put(TensorRefs inputs, Tensor& result) {
  const Shape& shape = inputs[0].shape();
  const Shape& indices = inputs[1].shape();
  const int depth = static_cast<int>(indices.back());
  const int64_t slice = shape.slice(depth, shape.rank()).size();
  const int64_t rows = indices.slice(0, indices.rank() - 1).size();
  auto* to = static_cast<T*>(result.mutable_data());
  const std::span<const T> values = inputs[0].span<T>();
  std::copy(values.begin(), values.end(), to);
  const Index* at = inputs[1].span<Index>().data();
  const T* from = inputs[2].span<T>().data();
  for (int64_t row = 0; row < rows; ++row, from += slice) {
    int64_t place = 0;
    for (int axis = 0; axis < depth; ++axis) {
      const auto position = static_cast<int64_t>(*at++);
      require(position >= 0 && position < shape[axis],
              "{}: index {} of axis {} is outside of the tensor. Got {}.", ScatterUpdate::kName,
              position, axis, inputs[0].spec());
      place = place * shape[axis] + position;
    }
    std::copy(from, from + slice, to + place * slice);
  }
}

}  // namespace

Tensor unsorted_segment_sum(const Tensor& data, const Tensor& segment_ids, int64_t num_segments) {
  check_segments("unsorted_segment_sum", data, segment_ids, num_segments);
  // What goes nowhere goes to one group more, which is left out.
  const Tensor ids = where(segment_ids < 0, num_segments, segment_ids);
  const Shape rest = data.shape().slice(segment_ids.rank(), data.rank());
  const Tensor all = scatter_nd(expand_dims(ids, -1), data, Shape{num_segments + 1} + rest);
  return slice_along(all, 0, 0, num_segments);
}

Tensor unsorted_segment_mean(const Tensor& data, const Tensor& segment_ids, int64_t num_segments) {
  const Tensor sum = unsorted_segment_sum(data, segment_ids, num_segments);
  const Tensor n = counts(data, segment_ids, num_segments);
  return is_floating(data.dtype()) ? sum / n : floordiv(sum, n);
}

Tensor unsorted_segment_sqrt_n(const Tensor& data, const Tensor& segment_ids,
                               int64_t num_segments) {
  return unsorted_segment_sum(data, segment_ids, num_segments) /
         sqrt(counts(data, segment_ids, num_segments));
}

Tensor segment_sum(const Tensor& data, const Tensor& segment_ids) {
  return unsorted_segment_sum(data, segment_ids, segments_of("segment_sum", segment_ids));
}

Tensor segment_mean(const Tensor& data, const Tensor& segment_ids) {
  return unsorted_segment_mean(data, segment_ids, segments_of("segment_mean", segment_ids));
}

Tensor bincount(const Tensor& values, const Tensor& weights, const BincountOptions& options) {
  int64_t bins = options.minlength;
  for (int64_t value : values_of("bincount", values)) {
    require(value >= 0, "bincount: the numbers must not be negative. Got {}.", value);
    bins = std::max(bins, value + 1);
  }
  if (options.maxlength >= 0) bins = std::min(bins, options.maxlength);
  const Tensor at = cast(values, int64);
  const Tensor ids = where(at < bins, at, -1);
  return unsorted_segment_sum(weights.defined() ? weights : ones(values.shape(), options.dtype),
                              ids, bins);
}

Tensor confusion_matrix(const Tensor& labels, const Tensor& predictions,
                        const ConfusionMatrixOptions& options) {
  constexpr const char* kName = "confusion_matrix";
  int64_t classes = options.num_classes;
  for (const Tensor* input : {&labels, &predictions}) {
    for (int64_t value : values_of(kName, *input)) {
      require(value >= 0, "{}: classes must not be negative. Got {}.", kName, value);
      require(options.num_classes < 0 || value < options.num_classes,
              "{}: class {} is not below num_classes, {}.", kName, value, options.num_classes);
      classes = std::max(classes, value + 1);
    }
  }
  require(labels.shape() == predictions.shape(),
          "{}: labels and predictions must have the same shape. Got {} and {}.", kName,
          labels.spec(), predictions.spec());
  classes = std::max<int64_t>(classes, 0);
  const Tensor cells = reshape(cast(labels, int64) * classes + cast(predictions, int64), {-1});
  const Tensor counted = options.weights.defined()
                             ? reshape(cast(options.weights, options.dtype), {-1})
                             : ones(cells.shape(), options.dtype);
  return reshape(unsorted_segment_sum(counted, cells, classes * classes), {classes, classes});
}

Tensor sequence_mask(const Tensor& lengths, const SequenceMaskOptions& options) {
  int64_t most = options.maxlen;
  if (most < 0) {
    most = 0;
    for (int64_t length : values_of("sequence_mask", lengths)) most = std::max(most, length);
  }
  const Tensor places = range(0, most, 1, lengths.dtype());
  return cast(places < expand_dims(lengths, -1), options.dtype);
}

Tensor repeat(const Tensor& input, const std::vector<int64_t>& repeats, int64_t axis) {
  require(input.defined(), "repeat: the input is not defined yet.");
  const int along = normalize_axis("repeat", axis, input.rank());
  const int64_t size = input.shape()[along];
  require(repeats.size() == 1 || static_cast<int64_t>(repeats.size()) == size,
          "repeat: needs one number, or one for each of {}. Got {} of them.", size, repeats.size());
  std::vector<int64_t> places;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t times = repeats[repeats.size() == 1 ? 0 : static_cast<size_t>(i)];
    require(times >= 0, "repeat: a number must not be negative. Got {}.", times);
    places.insert(places.end(), static_cast<size_t>(times), i);
  }
  return gather(input, Tensor(places, {static_cast<int64_t>(places.size())}), {.axis = along});
}

Tensor tensor_scatter_nd_add(const Tensor& x, const Tensor& indices, const Tensor& updates) {
  require(x.defined(), "tensor_scatter_nd_add: an input is not defined yet.");
  return x + scatter_nd(indices, updates, x.shape());
}

Tensor tensor_scatter_nd_sub(const Tensor& x, const Tensor& indices, const Tensor& updates) {
  require(x.defined(), "tensor_scatter_nd_sub: an input is not defined yet.");
  return x - scatter_nd(indices, updates, x.shape());
}

Tensor tensor_scatter_nd_update(const Tensor& x, const Tensor& indices, const Tensor& updates) {
  require(x.defined() && indices.defined() && updates.defined(),
          "tensor_scatter_nd_update: an input is not defined yet.");
  return call(ScatterUpdate(), x, indices, updates);
}

Specs ScatterUpdate::infer(SpecRefs inputs) const {
  const Spec &x = inputs[0], &indices = inputs[1], &updates = inputs[2];
  require(kIndexTypes.contains(indices.dtype), "{}: the indices must be int32 or int64. Got {}.",
          kName, inputs);
  require(updates.dtype == x.dtype, "{}: the updates must have the tensor's dtype. Got {}.", kName,
          inputs);
  require(indices.rank() >= 1 && indices.shape.back() <= x.rank(),
          "{}: the last dimension of the indices is longer than the tensor has dimensions. Got {}.",
          kName, inputs);
  const Shape chosen = indices.shape.slice(0, indices.rank() - 1);
  const int depth = static_cast<int>(indices.shape.back());
  require(compatible(updates.shape, chosen + x.shape.slice(depth, x.rank())),
          "{}: the updates must be [chosen..., after...]. Got {}.", kName, inputs);
  return {x};
}

Tensors ScatterUpdate::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::in_loop(*this, inputs, size);
}

Tensors ScatterUpdate::run_on_host(TensorRefs inputs) const {
  Tensor result = Tensor::uninitialized(inputs[0].spec());
  const auto update = [&]<class T>(Type<T>) {
    inputs[1].dtype() == int32 ? put<T, int32_t>(inputs, result) : put<T, int64_t>(inputs, result);
  };
  inputs[0].dtype() == string ? update(Type<std::string>()) : with_type(inputs[0].dtype(), update);
  return {result};
}

/// Nothing flows to what was replaced; an update gets what stands at its place. (Of two updates of
/// one place both get it, as in TensorFlow.)
Gradients ScatterUpdate::gradient(const Recorded& call) const {
  const Tensor& indices = call.input(1);
  const Shape& updates = call.input_spec(2).shape;
  Gradients gradients{{}, {}, {}};
  if (call.wants(0))
    gradients[0] = tensor_scatter_nd_update(call.dy(), indices, zeros(updates, call.dy().dtype()));
  if (call.wants(2)) gradients[2] = gather_nd(call.dy(), indices);
  return gradients;
}

}  // namespace alula
