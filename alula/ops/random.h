#pragma once
#include "alula/core/random.h"
#include "alula/runtime/dispatch.h"

/// Random tensors. With a seed they are the same on every device and with any number of threads:
/// integers, uniforms and bernoullis to the last bit, normals up to a few units in the last place.
namespace alula {

namespace random {

struct UniformOptions {
  Number minval = 0;
  Number maxval = 1.0;  // an integer dtype needs one
  DType dtype = float32;
  Seed seed = {};
};

struct NormalOptions {
  double mean = 0;
  double stddev = 1;
  DType dtype = float32;
  Seed seed = {};
};

struct BernoulliOptions {
  double probability = 0.5;  // of a 1, or true
  DType dtype = float32;
  Seed seed = {};
};

/// Numbers between `minval`, included, and `maxval`, excluded (though a float may be rounded up to
/// it), all equally likely. Floating types, int32 and int64.
///   uniform({2, 3}, {.minval = -1, .maxval = 1, .seed = 7})
///   uniform({10}, {.maxval = 6, .dtype = int32})  ->  10 dice
Tensor uniform(const Shape& shape, const UniformOptions& options = {});

/// Numbers of the normal distribution. Floating types.
Tensor normal(const Shape& shape, const NormalOptions& options = {});

/// The same, but none further from the mean than two standard deviations. Floating types.
Tensor truncated_normal(const Shape& shape, const NormalOptions& options = {});

/// Ones (or true) with the given probability, else zeros.
Tensor bernoulli(const Shape& shape, const BernoulliOptions& options = {});

struct CategoricalOptions {
  DType dtype = int64;  // or int32
  Seed seed = {};
};
/// Classes drawn by their unnormalized log-probabilities. logits: [batch, classes], result:
/// [batch, num_samples].
///   categorical({{0.f, 100.f}}, 3)  ->  {{1, 1, 1}}
Tensor categorical(const Tensor& logits, int64_t num_samples,
                   const CategoricalOptions& options = {});

/// Two numbers that fix what is drawn: the same two give the same in every call and process.
struct StatelessSeed {
  int64_t first = 0;
  int64_t second = 0;
  /// Where the numbers come from, as TensorFlow's own stateless functions have it.
  Stream stream() const;
};
/// As the functions without "stateless", whose options they take, but for the seed among them.
///   stateless_uniform({2}, {1, 2})  ->  {0.4703, 0.9022}, say
Tensor stateless_uniform(const Shape& shape, const StatelessSeed& seed,
                         const UniformOptions& options = {});
Tensor stateless_normal(const Shape& shape, const StatelessSeed& seed,
                        const NormalOptions& options = {});
Tensor stateless_truncated_normal(const Shape& shape, const StatelessSeed& seed,
                                  const NormalOptions& options = {});

/// The same slices along the first dimension in random order; every order is equally likely.
///   shuffle({1, 2, 3})  ->  {2, 3, 1}, say
Tensor shuffle(const Tensor& value, Seed seed = {});

}  // namespace random

namespace random {

/// Says where each call of an op draws from, in place of the sequences that all calls share.
class Source {
 public:
  virtual ~Source() = default;
  virtual Stream next(Seed seed, uint64_t blocks) = 0;
};

}  // namespace random

/// Common to all random ops.
struct RandomDraw {
  random::Stream stream;
  random::Seed seed = {};
  std::shared_ptr<random::Source> source = nullptr;  // none: as random::reserve has it
};

/// Common to the ops that make a tensor from nothing.
struct RandomOutput : RandomDraw {
  Spec output;
  bool fixed = false;  // whether `stream` is the caller's own, the same for every call
};

/// The element i is word i of the stream, or words 2i and 2i + 1 if it has 64 bits. As in
/// TensorFlow: a float takes its mantissa from the lowest bits (of the first word and all of the
/// second), and an integer is minval + words % (maxval - minval), the first word being the lower
/// one.
struct RandomUniform final : OpOf<RandomUniform>, RandomOutput {
  static constexpr const char* kName = "random_uniform";
  static constexpr DTypeSet kDTypes = kFloating | DTypeSet{int32, int64};
  static constexpr bool kDifferentiable = false;
  static constexpr bool kRandom = true;
  Number minval = 0;
  Number maxval = 1.0;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  std::unique_ptr<Op> drawn_again(SpecRefs inputs) const override;
};

/// By the method of Box and Muller: two uniforms u, v, from as many words as in RandomUniform, make
/// the elements r sin(2 pi v) and r cos(2 pi v), where r = sqrt(-2 log(max(u, 1e-7))). As in
/// TensorFlow.
struct RandomNormal final : OpOf<RandomNormal>, RandomOutput {
  static constexpr const char* kName = "random_normal";
  static constexpr DTypeSet kDTypes = kFloating;
  static constexpr bool kDifferentiable = false;
  static constexpr bool kRandom = true;
  double mean = 0;
  double stddev = 1;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  std::unique_ptr<Op> drawn_again(SpecRefs inputs) const override;
};

/// The inverse of the distribution function, applied to a uniform from as many words as in
/// RandomUniform. (TensorFlow draws again until a number is near enough; then what an element is
/// depends on those before it.)
struct RandomTruncatedNormal final : OpOf<RandomTruncatedNormal>, RandomOutput {
  static constexpr const char* kName = "random_truncated_normal";
  static constexpr DTypeSet kDTypes = kFloating;
  static constexpr bool kDifferentiable = false;
  static constexpr bool kRandom = true;
  double mean = 0;
  double stddev = 1;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  std::unique_ptr<Op> drawn_again(SpecRefs inputs) const override;
};

/// The element i is 1 if word i is less than probability * 2^32.
struct RandomBernoulli final : OpOf<RandomBernoulli>, RandomOutput {
  static constexpr const char* kName = "random_bernoulli";
  static constexpr DTypeSet kDTypes = kNumericOrBool;
  static constexpr bool kDifferentiable = false;
  static constexpr bool kRandom = true;
  double probability = 0.5;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  std::unique_ptr<Op> drawn_again(SpecRefs inputs) const override;
};

/// Fisher's and Yates's: for i = 0, 1, … the i-th place of n is swapped with place
/// i + floor(w (n - i) / 2^64), where w is words 2i (lower) and 2i + 1. Many calls at once draw one
/// after another.
struct RandomShuffle final : OpOf<RandomShuffle>, RandomDraw {
  static constexpr const char* kName = "random_shuffle";
  static constexpr DTypeSet kDTypes = kAnyType;
  static constexpr bool kDifferentiable = false;
  static constexpr bool kRandom = true;
  bool each = false;  // the slices of each element along the first dimension
  /// How many times four words a shuffle of so many slices takes.
  static uint64_t blocks(int64_t slices);
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  std::unique_ptr<Op> drawn_again(SpecRefs inputs) const override;
};

}  // namespace alula
