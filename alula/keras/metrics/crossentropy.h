#pragma once
#include "alula/keras/metrics/mean.h"
#include "alula/keras/setting.h"

/// The cross-entropies of keras::losses as metrics: their mean over all samples.
namespace alula::keras::metrics {

class BinaryCrossentropyImpl final : public MeanMetricWrapperImpl {
 public:
  struct Options {
    std::string name = "binary_crossentropy";
    bool from_logits = false;
    double label_smoothing = 0;
  };
  explicit BinaryCrossentropyImpl(const Options& options);
};
using BinaryCrossentropy = MetricOf<BinaryCrossentropyImpl>;

class CategoricalCrossentropyImpl final : public MeanMetricWrapperImpl {
 public:
  struct Options {
    std::string name = "categorical_crossentropy";
    bool from_logits = false;
    double label_smoothing = 0;
    int64_t axis = -1;
  };
  explicit CategoricalCrossentropyImpl(const Options& options);
};
using CategoricalCrossentropy = MetricOf<CategoricalCrossentropyImpl>;

class SparseCategoricalCrossentropyImpl final : public MeanMetricWrapperImpl {
 public:
  struct Options {
    std::string name = "sparse_categorical_crossentropy";
    bool from_logits = false;
    Setting<int64_t> ignore_class = {};
    int64_t axis = -1;
  };
  explicit SparseCategoricalCrossentropyImpl(const Options& options);
};
using SparseCategoricalCrossentropy = MetricOf<SparseCategoricalCrossentropyImpl>;

}  // namespace alula::keras::metrics
