#include "alula/ops/random.h"

#include <cmath>
#include <limits>

#include "alula/ops/arg_reduce.h"
#include "alula/ops/batching.h"
#include "alula/ops/cast.h"
#include "alula/ops/log.h"
#include "alula/ops/operators.h"
#include "alula/ops/reshape.h"
#include "alula/ops/slice.h"

namespace alula {
namespace {

const RegisterOp<RandomUniform> registered_uniform;
const RegisterOp<RandomNormal> registered_normal;
const RegisterOp<RandomTruncatedNormal> registered_truncated_normal;
const RegisterOp<RandomBernoulli> registered_bernoulli;
const RegisterOp<RandomShuffle> registered_shuffle;

void check_dtype(const char* name, DTypeSet taken, DType dtype) {
  require(taken.contains(dtype), "{}: makes {}. Got {}.", name, taken, dtype);
}

/// A negative deviation would only mirror the numbers, as it does in TensorFlow; it is a mistake.
void check_normal(const char* name, double mean, double stddev) {
  require(std::isfinite(mean), "{}: the mean must be finite. Got {}.", name, mean);
  require(std::isfinite(stddev) && stddev >= 0,
          "{}: the standard deviation must be finite and not negative. Got {}.", name, stddev);
}

/// How many times four words `count` elements take, of one word each or of two.
uint64_t blocks_of(int64_t count, DType dtype) {
  const uint64_t per_block = size_of(dtype) == 8 ? 2 : 4;
  return (static_cast<uint64_t>(count) + per_block - 1) / per_block;
}

/// Fixes where the numbers of a call come from.
void draw_from(RandomDraw& op, const char* name, DType dtype, uint64_t blocks) {
  op.stream = op.source != nullptr ? op.source->next(op.seed, blocks)
                                   : random::reserve(name, dtype, op.seed, blocks);
}

/// The same, once it is clear that the call is right.
template <class RandomOp>
void reserve(RandomOp& op) {
  op.infer(SpecRefs({}));
  const Spec& output = op.output;
  const int64_t count = output.shape.checked_size(RandomOp::kName, size_of(output.dtype));
  draw_from(op, RandomOp::kName, output.dtype, blocks_of(count, output.dtype));
}

/// Runs the op. In a function that is traced, each of its calls draws again.
template <class RandomOp>
Tensor draw(RandomOp op, random::Seed seed) {
  op.seed = seed;
  if (t_state.tracing()) return call_later(op, TensorRefs({}))[0];
  reserve(op);
  return call(op);
}

template <class RandomOp>
std::unique_ptr<Op> drawn_again_of(const RandomOp& op) {
  auto again = std::make_unique<RandomOp>(op);
  if (!op.fixed) reserve(*again);
  return again;
}

/// Runs the op on numbers that the caller chose.
template <class RandomOp>
Tensor draw_fixed(RandomOp op, const random::StatelessSeed& seed) {
  op.fixed = true;
  op.stream = seed.stream();
  op.infer(SpecRefs({}));
  op.output.shape.checked_size(RandomOp::kName, size_of(op.output.dtype));
  return call(op);
}

/// One draw for all calls. Each takes whole blocks of four words, so that its numbers are those
/// that it would get alone, behind the others: what is too much is cut off.
template <class RandomOp>
Tensors draw_batched(RandomOp op, int64_t size) {
  if (op.fixed) return batching::made_once(op, size);
  const Shape each = op.output.shape;
  const DType dtype = op.output.dtype;
  const int64_t per_block = size_of(dtype) == 8 ? 2 : 4, count = each.size();
  const int64_t drawn = static_cast<int64_t>(blocks_of(count, dtype)) * per_block;
  op.output.shape = drawn == count ? Shape{size} + each : Shape{size, drawn};
  const Tensor numbers = draw(op, op.seed);
  if (drawn == count) return {numbers};
  return {reshape(slice(numbers, {0, 0}, {size, count}), Shape{size} + each)};
}

/// Runs the op on a value. In a function that is traced, each of its calls draws again.
Tensor draw_shuffle(RandomShuffle op, const Tensor& value) {
  if (t_state.tracing()) {
    const Tensor* input = &value;
    return call_later(op, TensorRefs({&input, 1}))[0];
  }
  const Spec* spec = &value.spec();
  return call(*op.drawn_again(SpecRefs({&spec, 1})), value);
}

RandomUniform uniform_op(const Shape& shape, const random::UniformOptions& options) {
  RandomUniform op;
  op.output = {options.dtype, shape};
  op.minval = options.minval;
  op.maxval = options.maxval;
  return op;
}

template <class RandomOp>
RandomOp normal_op(const Shape& shape, const random::NormalOptions& options) {
  RandomOp op;
  op.output = {options.dtype, shape};
  op.mean = options.mean;
  op.stddev = options.stddev;
  return op;
}

}  // namespace

Specs RandomUniform::infer(SpecRefs) const {
  check_dtype(kName, kDTypes, output.dtype);
  if (is_floating(output.dtype)) return {output};
  require(minval.fits(output.dtype) && maxval.fits(output.dtype),
          "{}: minval and maxval must be values of {}. Got {} and {}. Set maxval.", kName,
          output.dtype, minval.as_double(), maxval.as_double());
  require(minval.as_integer() < maxval.as_integer(),
          "{}: minval must be less than maxval. Got {} and {}.", kName, minval.as_integer(),
          maxval.as_integer());
  return {output};
}

Specs RandomNormal::infer(SpecRefs) const {
  check_dtype(kName, kDTypes, output.dtype);
  check_normal(kName, mean, stddev);
  return {output};
}

Specs RandomTruncatedNormal::infer(SpecRefs) const {
  check_dtype(kName, kDTypes, output.dtype);
  check_normal(kName, mean, stddev);
  return {output};
}

Specs RandomBernoulli::infer(SpecRefs) const {
  check_dtype(kName, kDTypes, output.dtype);
  require(probability >= 0 && probability <= 1,
          "{}: the probability must be between 0 and 1. Got {}.", kName, probability);
  return {output};
}

Specs RandomShuffle::infer(SpecRefs inputs) const { return {inputs[0]}; }

std::unique_ptr<Op> RandomUniform::drawn_again(SpecRefs) const { return drawn_again_of(*this); }
std::unique_ptr<Op> RandomNormal::drawn_again(SpecRefs) const { return drawn_again_of(*this); }
std::unique_ptr<Op> RandomTruncatedNormal::drawn_again(SpecRefs) const {
  return drawn_again_of(*this);
}
std::unique_ptr<Op> RandomBernoulli::drawn_again(SpecRefs) const { return drawn_again_of(*this); }
std::unique_ptr<Op> RandomShuffle::drawn_again(SpecRefs inputs) const {
  auto again = std::make_unique<RandomShuffle>(*this);
  const Spec& value = inputs[0];
  const uint64_t needed = each ? static_cast<uint64_t>(value.shape[0]) * blocks(value.shape[1])
                               : blocks(value.shape[0]);
  draw_from(*again, kName, value.dtype, needed);
  return again;
}

uint64_t RandomShuffle::blocks(int64_t slices) { return blocks_of(slices, int64); }

Tensors RandomUniform::batched(std::span<const BatchedInput>, int64_t size) const {
  return draw_batched(*this, size);
}
Tensors RandomNormal::batched(std::span<const BatchedInput>, int64_t size) const {
  return draw_batched(*this, size);
}
Tensors RandomTruncatedNormal::batched(std::span<const BatchedInput>, int64_t size) const {
  return draw_batched(*this, size);
}
Tensors RandomBernoulli::batched(std::span<const BatchedInput>, int64_t size) const {
  return draw_batched(*this, size);
}

/// A shuffle within each of many calls: two leading dimensions become one.
Tensors RandomShuffle::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  const Tensor values = batching::repeated(inputs[0], size);
  RandomShuffle all = *this;
  all.each = true;
  if (!each) return {draw_shuffle(all, values)};
  const Shape& shape = values.shape();
  const Tensor flat = reshape(values, Shape{shape[0] * shape[1]} + shape.slice(2, shape.rank()));
  return {reshape(draw_shuffle(all, flat), shape)};
}

namespace random {

Tensor uniform(const Shape& shape, const UniformOptions& options) {
  return draw(uniform_op(shape, options), options.seed);
}

Tensor categorical(const Tensor& logits, int64_t num_samples, const CategoricalOptions& options) {
  require(logits.defined() && logits.rank() == 2 && is_floating(logits.dtype()),
          "categorical: the logits must be [batch, classes] of a floating type. Got {}.",
          logits.defined() ? logits.spec() : Spec());
  require(num_samples >= 0, "categorical: num_samples must not be negative. Got {}.", num_samples);
  // The largest of logits with Gumbel's noise is each class with its probability.
  const Shape& shape = logits.shape();
  const DType dtype = is_half(logits.dtype()) ? float32 : logits.dtype();
  const Tensor noise = -log(
      -log(uniform({shape[0], num_samples, shape[1]}, {.dtype = dtype, .seed = options.seed})));
  return argmax(expand_dims(cast(logits, dtype), 1) + noise,
                {.axis = 2, .output_type = options.dtype});
}

Stream StatelessSeed::stream() const {
  // Scrambled, so that seeds which differ in a bit have nothing in common. TensorFlow's key.
  const Words mixed = Philox::words(0x02461e293ec8f720, static_cast<uint64_t>(second),
                                    static_cast<uint64_t>(first));
  return {.key = mixed[0] | uint64_t{mixed[1]} << 32, .high = mixed[2] | uint64_t{mixed[3]} << 32};
}

Tensor stateless_uniform(const Shape& shape, const StatelessSeed& seed,
                         const UniformOptions& options) {
  return draw_fixed(uniform_op(shape, options), seed);
}

Tensor stateless_normal(const Shape& shape, const StatelessSeed& seed,
                        const NormalOptions& options) {
  return draw_fixed(normal_op<RandomNormal>(shape, options), seed);
}

Tensor stateless_truncated_normal(const Shape& shape, const StatelessSeed& seed,
                                  const NormalOptions& options) {
  return draw_fixed(normal_op<RandomTruncatedNormal>(shape, options), seed);
}

Tensor normal(const Shape& shape, const NormalOptions& options) {
  return draw(normal_op<RandomNormal>(shape, options), options.seed);
}

Tensor truncated_normal(const Shape& shape, const NormalOptions& options) {
  return draw(normal_op<RandomTruncatedNormal>(shape, options), options.seed);
}

Tensor bernoulli(const Shape& shape, const BernoulliOptions& options) {
  RandomBernoulli op;
  op.output = {options.dtype, shape};
  op.probability = options.probability;
  return draw(op, options.seed);
}

Tensor shuffle(const Tensor& value, Seed seed) {
  require(value.defined(), "{}: the input is not defined yet.", RandomShuffle::kName);
  if (value.rank() == 0) return value;
  RandomShuffle op;
  op.seed = seed;
  return draw_shuffle(op, value);
}

}  // namespace random
namespace {

/// The seed; where the numbers begin is another at every run.
Attributes with_seed(Attributes attributes, random::Seed seed) {
  if (seed.given()) attributes.emplace_back("seed", seed.value());
  return attributes;
}

}  // namespace

Attributes RandomUniform::attributes() const {
  return with_seed(
      {{"shape", output.shape}, {"dtype", output.dtype}, {"minval", minval}, {"maxval", maxval}},
      seed);
}
Attributes RandomNormal::attributes() const {
  return with_seed(
      {{"shape", output.shape}, {"dtype", output.dtype}, {"mean", mean}, {"stddev", stddev}}, seed);
}
Attributes RandomTruncatedNormal::attributes() const {
  return with_seed(
      {{"shape", output.shape}, {"dtype", output.dtype}, {"mean", mean}, {"stddev", stddev}}, seed);
}
Attributes RandomBernoulli::attributes() const {
  return with_seed({{"shape", output.shape}, {"dtype", output.dtype}, {"probability", probability}},
                   seed);
}
Attributes RandomShuffle::attributes() const {
  return with_seed(each ? Attributes{{"each", each}} : Attributes{}, seed);
}

}  // namespace alula
