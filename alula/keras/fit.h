#pragma once
#include "alula/keras/model.h"

/// The loops behind Model's fit, evaluate and predict.
namespace alula::keras::loops {

History fit(Model model, data::Source& source, const FitOptions& options, data::Source* validation);
Logs evaluate(Model model, data::Source& source, const EvaluateOptions& options);
std::vector<Tensor> predict(Model model, data::Source& source, const PredictOptions& options);

/// A weight a sample from a weight a class. y: classes, or one-hot rows.
Tensor sample_weights(const Tensor& y, const std::map<int64_t, double>& class_weight);

}  // namespace alula::keras::loops
