#include "alula/keras/words.h"

#include "alula/keras/losses/losses.h"
#include "alula/keras/losses/matching.h"

namespace alula::keras {
namespace {

using namespace losses;

/// The cross-entropy that goes with the shapes of labels and predictions.
class ChosenCrossentropy final : public LossImpl {
 public:
  explicit ChosenCrossentropy(const char* name) : LossImpl({.name = name}) {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    switch (task_of(name().c_str(), y_true, y_pred)) {
      case Task::kBinary: return binary_crossentropy(y_true, y_pred);
      case Task::kSparse: return sparse_categorical_crossentropy(y_true, y_pred);
      case Task::kCategorical: break;
    }
    return categorical_crossentropy(y_true, y_pred);
  }
};

template <class L>
Loss make() {
  return L();
}
template <const char* kName>
Loss choose() {
  return Loss(std::make_shared<ChosenCrossentropy>(kName));
}
constexpr char kCrossentropy[] = "crossentropy";
constexpr char kCE[] = "ce";

using Make = Loss (*)();
constexpr Word<Make> kLosses[] = {
    {"sparse_categorical_crossentropy", make<SparseCategoricalCrossentropy>},
    {"categorical_crossentropy", make<CategoricalCrossentropy>},
    {"binary_crossentropy", make<BinaryCrossentropy>},
    {"mean_squared_error", make<MeanSquaredError>},
    {"mean_absolute_error", make<MeanAbsoluteError>},
    {"mean_absolute_percentage_error", make<MeanAbsolutePercentageError>},
    {"mean_squared_logarithmic_error", make<MeanSquaredLogarithmicError>},
    {"huber", make<Huber>},
    {"log_cosh", make<LogCosh>},
    {"hinge", make<Hinge>},
    {"squared_hinge", make<SquaredHinge>},
    {"categorical_hinge", make<CategoricalHinge>},
    {"kl_divergence", make<KLDivergence>},
    {"poisson", make<Poisson>},
    {"cosine_similarity", make<CosineSimilarity>},
    {"SparseCategoricalCrossentropy", make<SparseCategoricalCrossentropy>},
    {"CategoricalCrossentropy", make<CategoricalCrossentropy>},
    {"BinaryCrossentropy", make<BinaryCrossentropy>},
    {"MeanSquaredError", make<MeanSquaredError>},
    {"MeanAbsoluteError", make<MeanAbsoluteError>},
    {"MeanAbsolutePercentageError", make<MeanAbsolutePercentageError>},
    {"MeanSquaredLogarithmicError", make<MeanSquaredLogarithmicError>},
    {"Huber", make<Huber>},
    {"LogCosh", make<LogCosh>},
    {"Hinge", make<Hinge>},
    {"SquaredHinge", make<SquaredHinge>},
    {"CategoricalHinge", make<CategoricalHinge>},
    {"KLDivergence", make<KLDivergence>},
    {"Poisson", make<Poisson>},
    {"CosineSimilarity", make<CosineSimilarity>},
    {"mse", make<MeanSquaredError>},
    {"MSE", make<MeanSquaredError>},
    {"mae", make<MeanAbsoluteError>},
    {"MAE", make<MeanAbsoluteError>},
    {"mape", make<MeanAbsolutePercentageError>},
    {"MAPE", make<MeanAbsolutePercentageError>},
    {"msle", make<MeanSquaredLogarithmicError>},
    {"MSLE", make<MeanSquaredLogarithmicError>},
    {"bce", make<BinaryCrossentropy>},
    {"BCE", make<BinaryCrossentropy>},
    {"kld", make<KLDivergence>},
    {"KLD", make<KLDivergence>},
    {"crossentropy", choose<kCrossentropy>},
    {"ce", choose<kCE>},
};

}  // namespace

Loss::Loss(const char* word) : Loss(look_up("loss", word, kLosses)()) {}

}  // namespace alula::keras
