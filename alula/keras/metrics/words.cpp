#include "alula/keras/words.h"

#include "alula/keras/losses/losses.h"
#include "alula/keras/losses/matching.h"
#include "alula/keras/metrics/metrics.h"

namespace alula::keras {
namespace {

using namespace metrics;

/// Makes the metric that a word stands for; some go by the very word that was used.
using Make = Metric (*)(const char* word);

template <class M>
Metric make(const char*) {
  return M();
}
template <class M>
Metric named(const char* word) {
  return M({.name = word});
}
Metric chosen_accuracy(const char* word) {
  return Metric(std::make_shared<ChosenAccuracyImpl>(word));
}
Metric chosen_crossentropy(const char* word) { return Metric(Loss(word)); }

constexpr Word<Make> kMetrics[] = {
    {"accuracy", chosen_accuracy},
    {"acc", chosen_accuracy},
    {"binary_accuracy", make<BinaryAccuracy>},
    {"categorical_accuracy", make<CategoricalAccuracy>},
    {"sparse_categorical_accuracy", make<SparseCategoricalAccuracy>},
    {"top_k_categorical_accuracy", make<TopKCategoricalAccuracy>},
    {"sparse_top_k_categorical_accuracy", make<SparseTopKCategoricalAccuracy>},
    {"mean_squared_error", make<MeanSquaredError>},
    {"mean_absolute_error", make<MeanAbsoluteError>},
    {"mean_absolute_percentage_error", make<MeanAbsolutePercentageError>},
    {"mean_squared_logarithmic_error", make<MeanSquaredLogarithmicError>},
    {"root_mean_squared_error", make<RootMeanSquaredError>},
    {"log_cosh_error", make<LogCoshError>},
    {"cosine_similarity", make<CosineSimilarity>},
    {"binary_crossentropy", make<BinaryCrossentropy>},
    {"categorical_crossentropy", make<CategoricalCrossentropy>},
    {"sparse_categorical_crossentropy", make<SparseCategoricalCrossentropy>},
    {"kl_divergence", make<KLDivergence>},
    {"poisson", make<Poisson>},
    {"hinge", make<Hinge>},
    {"squared_hinge", make<SquaredHinge>},
    {"categorical_hinge", make<CategoricalHinge>},
    {"precision", make<Precision>},
    {"recall", make<Recall>},
    {"auc", make<AUC>},
    {"true_positives", make<TruePositives>},
    {"true_negatives", make<TrueNegatives>},
    {"false_positives", make<FalsePositives>},
    {"false_negatives", make<FalseNegatives>},
    {"Accuracy", make<Accuracy>},
    {"BinaryAccuracy", make<BinaryAccuracy>},
    {"CategoricalAccuracy", make<CategoricalAccuracy>},
    {"SparseCategoricalAccuracy", make<SparseCategoricalAccuracy>},
    {"TopKCategoricalAccuracy", make<TopKCategoricalAccuracy>},
    {"SparseTopKCategoricalAccuracy", make<SparseTopKCategoricalAccuracy>},
    {"MeanSquaredError", make<MeanSquaredError>},
    {"MeanAbsoluteError", make<MeanAbsoluteError>},
    {"MeanAbsolutePercentageError", make<MeanAbsolutePercentageError>},
    {"MeanSquaredLogarithmicError", make<MeanSquaredLogarithmicError>},
    {"RootMeanSquaredError", make<RootMeanSquaredError>},
    {"LogCoshError", make<LogCoshError>},
    {"CosineSimilarity", make<CosineSimilarity>},
    {"BinaryCrossentropy", make<BinaryCrossentropy>},
    {"CategoricalCrossentropy", make<CategoricalCrossentropy>},
    {"SparseCategoricalCrossentropy", make<SparseCategoricalCrossentropy>},
    {"KLDivergence", make<KLDivergence>},
    {"Poisson", make<Poisson>},
    {"Hinge", make<Hinge>},
    {"SquaredHinge", make<SquaredHinge>},
    {"CategoricalHinge", make<CategoricalHinge>},
    {"Precision", make<Precision>},
    {"Recall", make<Recall>},
    {"AUC", make<AUC>},
    {"TruePositives", make<TruePositives>},
    {"TrueNegatives", make<TrueNegatives>},
    {"FalsePositives", make<FalsePositives>},
    {"FalseNegatives", make<FalseNegatives>},
    {"mse", named<MeanSquaredError>},
    {"MSE", named<MeanSquaredError>},
    {"mae", named<MeanAbsoluteError>},
    {"MAE", named<MeanAbsoluteError>},
    {"mape", named<MeanAbsolutePercentageError>},
    {"MAPE", named<MeanAbsolutePercentageError>},
    {"msle", named<MeanSquaredLogarithmicError>},
    {"MSLE", named<MeanSquaredLogarithmicError>},
    {"bce", named<BinaryCrossentropy>},
    {"BCE", named<BinaryCrossentropy>},
    {"kld", named<KLDivergence>},
    {"KLD", named<KLDivergence>},
    {"crossentropy", chosen_crossentropy},
    {"ce", chosen_crossentropy},
};

}  // namespace

Metric::Metric(const char* word) : Metric(look_up("metric", word, kMetrics)(word)) {}

}  // namespace alula::keras
