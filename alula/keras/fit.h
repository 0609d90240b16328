#pragma once
#include "alula/keras/model.h"

/// The loops behind Model's fit, evaluate and predict.
namespace alula::keras::loops {

/// `validation` may be null.
History fit(Model model, const data::Dataset& dataset, const FitOptions& options,
            const data::Dataset* validation);
Logs evaluate(Model model, const data::Dataset& dataset, const EvaluateOptions& options);
std::vector<Tensor> predict(Model model, const data::Dataset& dataset,
                            const PredictOptions& options);

/// A weight a sample from a weight a class. y: classes, or one-hot rows.
Tensor sample_weights(const Tensor& y, const std::map<int64_t, double>& class_weight);

}  // namespace alula::keras::loops
