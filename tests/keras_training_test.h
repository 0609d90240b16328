#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "alula/alula.h"
#include "alula/io/json.h"
#include "alula/io/safetensors.h"
#include "alula/testing/array.h"
#include "alula/testing/test_data.h"

namespace alula::parity {

/// The integer hash of tools/keras_reference/training.py.
inline uint32_t hash(uint32_t seed, uint32_t i) {
  uint32_t x = i + 0x9E3779B9u * (seed + 1);
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

inline double norm(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

/// The norm of the difference.
inline double apart(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> difference(a.size());
  for (size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  return norm(difference);
}

/// What Keras computed when it trained one of the models; the head of
/// tools/keras_reference/training.py explains the file's keys.
class Training {
 public:
  struct Batch {
    Tensor x, y;
  };

  explicit Training(const std::string& model) {
    const std::string file = model + ".safetensors";
    const io::SafeTensors contents =
        io::read_safetensors(alula::testing::test_data("keras_reference/" + file));
    for (const io::NamedTensor& named : contents.tensors) tensors_[named.name] = named.tensor;
    description_ = io::Json::parse(contents.metadata.at(0).second, file).as_array().at(0);
    if (has("x")) {
      data_ = {at("x"), at("y")};
    } else {
      const keras::datasets::Split train = keras::datasets::mnist::load_data().train;
      data_ = {expand(cast(slice_along(train.x, 0, 0, 10000), float32) / 255.f),
               slice_along(train.y, 0, 0, 10000)};
    }
  }

  int64_t states() const { return description_.at("states").as_integer(); }
  int64_t batch_size() const { return description_.at("batch").as_integer(); }
  const io::Json& weights() const { return description_.at("weights"); }
  const io::Json& optimizers() const { return description_.at("optimizers"); }
  bool has(const std::string& key) const { return tensors_.contains(key); }
  const Tensor& at(const std::string& key) const {
    const auto found = tensors_.find(key);
    if (found == tensors_.end()) throw NotFoundError("The reference has no " + key);
    return found->second;
  }
  std::vector<double> numbers(const std::string& key) const {
    return testing::to_array(at(key)).values;
  }
  double number(const std::string& key) const { return numbers(key).at(0); }

  std::vector<Tensor> initial_weights() const {
    std::vector<Tensor> values;
    for (size_t i = 0; i < weights().as_array().size(); ++i)
      values.push_back(at("initial/" + std::to_string(i)));
    return values;
  }
  /// The weights of a state: "state/3".
  std::vector<Tensor> weights_of(const std::string& state) const {
    const std::vector<float> scales = at(state + "/scale").to_vector<float>();
    std::vector<Tensor> values;
    for (size_t i = 0; i < scales.size(); ++i)
      values.push_back(cast(at(state + "/weight/" + std::to_string(i)), float32) * scales[i]);
    return values;
  }
  /// The batch that a state was taken at.
  Batch batch_of(const std::string& state) const {
    const std::vector<int64_t> rows = at(state + "/rows").to_vector<int64_t>();
    return rows_from(rows[0], rows[1]);
  }
  Batch batch(int64_t step) const { return rows_from(step * batch_size(), batch_size()); }
  Batch rows_from(int64_t first, int64_t count) const {
    return {slice_along(data_.x, 0, first, count), slice_along(data_.y, 0, first, count)};
  }

  /// How far a tensor is from the one at `key`, by the latter's norm. Of a long one the file
  /// has only its norm, its sums under some patterns of signs, and samples. An error of a given
  /// norm changes a sum by that norm, in the mean of squares; so the sums tell the distance.
  double distance(const Tensor& actual, const std::string& key) const {
    const std::vector<double> values = testing::to_array(actual).values;
    if (has(key)) {
      if (actual.shape() != at(key).shape()) return INFINITY;
      const std::vector<double> expected = numbers(key);
      return apart(values, expected) / (norm(expected) + 1e-30);
    }
    const double length = number(key + "/norm");
    const std::vector<double> sums = numbers(key + "/dot"), samples = numbers(key + "/sample");
    const double by_norm = std::abs(norm(values) - length);
    const double by_sums = apart(signed_sums(values, sums.size()), sums) / std::sqrt(sums.size());
    const double by_samples = apart(sampled(values, samples.size()), samples);
    return std::max({by_norm, by_sums, by_samples}) / length;
  }

 private:
  static Tensor expand(const Tensor& images) {
    return reshape(images, {images.shape()[0], 28, 28, 1});
  }
  static std::vector<double> signed_sums(const std::vector<double>& values, size_t count) {
    std::vector<double> sums(count);
    for (size_t p = 0; p < count; ++p)
      for (size_t i = 0; i < values.size(); ++i)
        sums[p] += hash(p, i) % 2 == 1 ? -values[i] : values[i];
    return sums;
  }
  static std::vector<double> sampled(const std::vector<double>& values, size_t count) {
    constexpr uint32_t kSamplesSeed = 1000;
    std::vector<double> samples(count);
    for (size_t j = 0; j < count; ++j) samples[j] = values[hash(kSamplesSeed, j) % values.size()];
    return samples;
  }

  std::unordered_map<std::string, Tensor> tensors_;
  io::Json description_;
  Batch data_;
};

}  // namespace alula::parity
