#include "alula/graph/fuzz_test.h"

/// The families of structured ops that the fuzzer draws from.
namespace alula::graph::fuzz {
namespace {

using Values = std::vector<Tensor>;

bool is_float(const Tensor& x) { return x.dtype() == float32 || x.dtype() == float64; }
bool is_number(const Tensor& x) { return is_float(x) || x.dtype() == int32; }
bool has_dims(const Tensor& x) { return is_number(x) && x.rank() >= 1; }

Shape shuffled(Dice& dice, Shape shape) {
  for (int i = shape.rank() - 1; i > 0; --i)
    std::swap(shape[i], shape[static_cast<int>(dice.below(i + 1))]);
  return shape;
}

}  // namespace

void Maker::reduce() {
  const int64_t at = pick(is_number);
  if (at < 0) return;
  const auto i = static_cast<size_t>(at);
  const Shape& shape = known_[i].value.shape();
  std::vector<int64_t> axes;
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (dice_.chance(0.4)) axes.push_back(dice_.chance(0.5) ? axis : axis - shape.rank());
  const ReduceOptions options{.axis = dice_.chance(0.2) ? Axes() : Axes(axes),
                              .keepdims = dice_.chance(0.5)};
  const int64_t which = dice_.below(7), axis = shape.rank() > 0 ? dice_.below(shape.rank()) : 0;
  take({i}, [=](const Values& v) -> Values {
    switch (which) {
      case 0:
      case 1: return {reduce_sum(v[i], options)};
      case 2: return {reduce_mean(v[i], options)};
      case 3: return {reduce_max(v[i], options)};
      case 4: return {reduce_min(v[i], options)};
      case 5: return {reduce_prod(v[i], options)};
      default: return {cumsum(v[i], {.axis = axis, .exclusive = axis % 2 == 1})};
    }
  });
}

void Maker::product() {
  const int64_t at = pick([](const Tensor& x) { return is_number(x) && x.rank() >= 2; });
  if (at < 0) return;
  const auto i = static_cast<size_t>(at);
  const Tensor& a = known_[i].value;
  MatMulOptions options{.transpose_a = dice_.chance(0.3), .transpose_b = dice_.chance(0.3)};
  const int rank = a.rank();
  const int64_t inner = a.shape()[options.transpose_a ? rank - 2 : rank - 1];
  const Shape shape =
      options.transpose_b ? Shape{dice_.between(1, 4), inner} : Shape{inner, dice_.between(1, 4)};
  const Tensor b = dice_.tensor({a.dtype(), shape});
  const bool turn = dice_.chance(0.4), bias = dice_.chance(0.5);
  take({i}, [=](const Values& v) -> Values {
    MatMulOptions used = options;
    if (turn) used.transpose_b = !used.transpose_b;
    const Tensor y = matmul(v[i], turn ? transpose(b) : b, used);
    return {bias ? y + 1 : y};
  });
}

/// Convolutions and pooling, often one after another with what stands between them in models.
void Maker::image() {
  const int64_t at = pick([](const Tensor& x) { return is_float(x) && x.rank() == 4; });
  if (at < 0) return;
  const auto i = static_cast<size_t>(at);
  const Spec spec = known_[i].value.spec();
  const Padding padding = dice_.chance(0.5) ? "SAME" : "VALID";
  const Size2 size{dice_.between(1, 3), dice_.between(1, 3)},
      strides{dice_.between(1, 2), dice_.between(1, 2)};
  const int64_t which = dice_.below(4);
  if (which == 0) {
    take({i}, [=](const Values& v) -> Values {
      return {max_pool2d(v[i], {.ksize = size, .strides = strides, .padding = padding})};
    });
    return;
  }
  if (which == 1) {
    take({i}, [=](const Values& v) -> Values {
      return {avg_pool2d(v[i], {.ksize = size, .strides = strides, .padding = padding})};
    });
    return;
  }
  const int64_t channels = dice_.between(1, 4);
  const Tensor filter =
      dice_.tensor({spec.dtype, {size.height, size.width, spec.shape.back(), channels}});
  const Tensor bias = dice_.tensor({spec.dtype, {channels}});
  const bool activates = dice_.chance(0.6), pools = dice_.chance(0.5), most = dice_.chance(0.7);
  take({i}, [=](const Values& v) -> Values {
    Tensor y = conv2d(v[i], filter, {.strides = strides, .padding = padding}) + bias;
    if (activates) y = relu(y);
    if (pools)
      y = most ? max_pool2d(y, {.ksize = 2, .strides = 2, .padding = "SAME"})
               : avg_pool2d(y, {.ksize = 2, .strides = 1, .padding = "SAME"});
    return {y};
  });
}

void Maker::reshaping() {
  const int64_t at = pick([](const Tensor&) { return true; });
  const auto i = static_cast<size_t>(at);
  if (inside_tape_ && !is_float(known_[i].value)) return;
  const Shape shape = known_[i].value.shape(), other = shuffled(dice_, shape);
  const int64_t axis = dice_.between(-shape.rank() - 1, shape.rank());
  const int64_t which = dice_.below(7);
  take(
      {i},
      [=](const Values& v) -> Values {
        switch (which) {
          case 0: return {reshape(v[i], other)};
          case 1: return {reshape(v[i], {-1})};
          case 2: return {shape.rank() < 5 ? expand_dims(v[i], axis) : v[i] + 0};
          case 3: return {squeeze(v[i])};
          case 4: return {identity(v[i])};
          case 5: return {reshape(reshape(v[i], {-1}), shape)};
          default: return {stop_gradient(v[i])};
        }
      },
      Kind::kExact);
}

void Maker::moving() {
  const int64_t at = pick(has_dims);
  if (at < 0) return;
  const auto i = static_cast<size_t>(at);
  const Shape shape = known_[i].value.shape();
  const int rank = shape.rank();
  std::vector<int64_t> order(static_cast<size_t>(rank));
  for (int k = 0; k < rank; ++k) order[static_cast<size_t>(k)] = k;
  for (int64_t k = rank - 1; k > 0; --k)
    std::swap(order[static_cast<size_t>(k)], order[static_cast<size_t>(dice_.below(k + 1))]);
  Ints begin, size, strides, ones;
  Paddings paddings;
  for (int axis = 0; axis < rank; ++axis) {
    begin.push_back(dice_.chance(0.5) ? 0 : dice_.below(shape[axis]));
    size.push_back(dice_.chance(0.5) ? -1 : dice_.between(1, shape[axis] - begin.back()));
    strides.push_back(dice_.chance(0.7) ? 1 : dice_.between(1, 2));
    paddings.push_back({dice_.below(2), dice_.below(2)});
    ones.push_back(dice_.between(1, 2));
  }
  const int64_t axis = dice_.below(rank), which = dice_.below(8), shift = dice_.between(-2, 2);
  Shape larger{2};
  for (const int64_t dim : shape) larger.push_back(dim == 1 ? 3 : dim);
  take(
      {i},
      [=](const Values& v) -> Values {
        const Tensor& x = v[i];
        switch (which) {
          case 0: return {transpose(x, order)};
          case 1: return {transpose(transpose(x, order))};
          case 2: return {slice(x, begin, size)};
          case 3: return {strided_slice(x, begin, Ints(shape.begin(), shape.end()), {{}, strides})};
          case 4: return {pad(x, paddings)};
          case 5: return {tile(x, ones)};
          case 6: return {shift == 0 ? reverse(x, axis) : roll(x, {shift}, {axis})};
          default: return {broadcast_to(x, larger)};
        }
      },
      Kind::kExact);
}

void Maker::joining() {
  const int64_t first = pick(has_dims);
  if (first < 0) return;
  const auto i = static_cast<size_t>(first);
  const Spec spec = known_[i].value.spec();
  const auto k = static_cast<size_t>(pick([&](const Tensor& x) { return x.spec() == spec; }));
  const int64_t axis = dice_.below(spec.shape.rank()), which = dice_.below(4);
  take(
      {i, k},
      [=](const Values& v) -> Values {
        if (which == 0) return {concat({v[i], v[k]}, axis)};
        if (which == 1) return {stack({v[i], v[k]}, axis)};
        if (which == 2) return {concat({v[i]}, axis)};
        const Tensors pieces =
            split(v[i], static_cast<int>(spec.shape[static_cast<int>(axis)]), axis);
        return {pieces[0], pieces[pieces.size() - 1]};
      },
      Kind::kExact);
}

void Maker::gathering() {
  const int64_t at = pick(has_dims);
  if (at < 0) return;
  const auto i = static_cast<size_t>(at);
  const Shape& shape = known_[i].value.shape();
  const int64_t axis = dice_.below(shape.rank());
  std::vector<int32_t> where;
  for (int64_t count = dice_.between(1, 4); count > 0; --count)
    where.push_back(static_cast<int32_t>(dice_.below(shape[static_cast<int>(axis)])));
  const Tensor indices(where);
  take(
      {i}, [=](const Values& v) -> Values { return {gather(v[i], indices, {.axis = axis})}; },
      Kind::kExact);
}

void Maker::probabilities() {
  const int64_t at = pick([](const Tensor& x) { return is_float(x) && x.rank() >= 1; });
  if (at < 0) return;
  const auto i = static_cast<size_t>(at);
  const Shape& shape = known_[i].value.shape();
  const int64_t axis = dice_.between(-1, 0), which = dice_.below(7);
  const Shape rows = shape.slice(0, shape.rank() - 1);
  Tensor labels = dice_.tensor({int32, rows});
  labels = mod(labels, fill({}, static_cast<int32_t>(shape.back()), int32));
  const Tensor shares = alula::abs(dice_.tensor(known_[i].value.spec()));
  const int batch = rows.rank();
  take({i}, [=](const Values& v) -> Values {
    const Tensor& x = v[i];
    switch (which) {
      case 0: return {softmax(x, {.axis = axis})};
      case 1: return {log_softmax(x, {.axis = axis})};
      case 2: return {alula::log(softmax(x, {.axis = axis}))};
      case 3: return {sparse_softmax_cross_entropy(labels, alula::log(softmax(x)))};
      case 4: return {softmax_cross_entropy(shares, x)};
      case 5: return {-reduce_sum(alula::log(softmax(x)) * shares, {.axis = -1})};
      default: return {-gather(log_softmax(x), labels, {.batch_dims = batch})};
    }
  });
}

void Maker::casting() {
  const int64_t at = pick([](const Tensor&) { return true; });
  const auto i = static_cast<size_t>(at);
  const std::vector<DType> dtypes = {float32, float64, int32, int64, boolean, uint8, float16};
  const DType to = dice_.one_of(dtypes), back = dice_.one_of(dtypes);
  const bool twice = dice_.chance(0.5);
  const auto run = [=](const Values& v) -> Values {
    const Tensor once = cast(v[i], to);
    return {cast(twice ? cast(once, back) : once, float32)};
  };
  if (is_float(known_[i].value) && !known_[i].exact) return;
  take({i}, run);
}

void Maker::state() {
  if (program_.variables.empty()) return;
  const Variable variable = dice_.one_of(program_.variables);
  if (dice_.chance(0.5)) {
    take({}, [=](const Values&) -> Values { return {variable.value()}; }, Kind::kEffect);
    return;
  }
  const int64_t at = pick([&](const Tensor& x) { return x.spec() == variable.spec(); });
  const auto i = static_cast<size_t>(at);
  const int64_t which = at < 0 ? 2 : dice_.below(3);
  take(
      {},
      [=](const Values& v) -> Values {
        Variable written = variable;
        if (which == 0) written.assign(v[i]);
        if (which == 1) written.assign_add(v[i] * 0.25);
        if (which == 2) written.assign(written * 0.5 + 0.25);
        return {written.value()};
      },
      Kind::kEffect);
}

void Maker::random_numbers() {
  const Shape shape = dice_.shape();
  const int64_t seed = ++seeds_, which = dice_.below(3);
  take(
      {},
      [=](const Values&) -> Values {
        if (which == 0) return {random::uniform(shape, {.seed = seed})};
        if (which == 1) return {random::normal(shape, {.seed = seed})};
        return {random::bernoulli(shape, {.probability = 0.7, .seed = seed})};
      },
      Kind::kEffect);
}

}  // namespace alula::graph::fuzz
