#include "alula/keras/metrics/crossentropy.h"

#include "alula/keras/losses/losses.h"
#include "alula/keras/losses/predictions.h"

namespace alula::keras::metrics {

BinaryCrossentropyImpl::BinaryCrossentropyImpl(const Options& options)
    : MeanMetricWrapperImpl(
          [given =
               losses::BinaryCrossentropyFunctionOptions{
                   .from_logits = options.from_logits, .label_smoothing = options.label_smoothing}](
              const Tensor& y_true, const Tensor& y_pred) {
            return losses::binary_crossentropy(y_true, y_pred, given);
          },
          {.name = options.name, .direction = Direction::kDown}) {
  check_smoothing(options.name.c_str(), options.label_smoothing);
}

CategoricalCrossentropyImpl::CategoricalCrossentropyImpl(const Options& options)
    : MeanMetricWrapperImpl(
          [given =
               losses::CategoricalCrossentropyFunctionOptions{
                   .from_logits = options.from_logits,
                   .label_smoothing = options.label_smoothing,
                   .axis = options.axis}](const Tensor& y_true, const Tensor& y_pred) {
            return losses::categorical_crossentropy(y_true, y_pred, given);
          },
          {.name = options.name, .direction = Direction::kDown}) {
  check_smoothing(options.name.c_str(), options.label_smoothing);
}

SparseCategoricalCrossentropyImpl::SparseCategoricalCrossentropyImpl(const Options& options)
    : MeanMetricWrapperImpl(
          [given =
               losses::SparseCategoricalCrossentropyFunctionOptions{
                   .from_logits = options.from_logits,
                   .ignore_class = options.ignore_class,
                   .axis = options.axis}](const Tensor& y_true, const Tensor& y_pred) {
            return losses::sparse_categorical_crossentropy(y_true, y_pred, given);
          },
          {.name = options.name, .direction = Direction::kDown}) {}

}  // namespace alula::keras::metrics
