#pragma once

namespace alula::keras {

class Model;

namespace callbacks {

/// The rate of a model's optimizer: now, where it follows a schedule.
double learning_rate_of(const Model& model);
/// Sets it; an error where it follows a schedule.
void set_learning_rate(const Model& model, double rate);

}  // namespace callbacks
}  // namespace alula::keras
