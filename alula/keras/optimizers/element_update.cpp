#include "alula/keras/optimizers/element_update.h"

#include <map>
#include <mutex>

namespace alula::keras {
namespace {

/// The program of that text, kept for the life of the process: optimizers that do the same share
/// it, and what backends made of it.
const scalar::Program* shared(std::unique_ptr<scalar::Program> program) {
  static std::mutex mutex;
  static auto* programs = new std::map<std::string, std::unique_ptr<scalar::Program>>();
  const std::lock_guard lock(mutex);
  auto& kept = (*programs)[program->name() + "\n" + program->str()];
  if (kept == nullptr) kept = std::move(program);
  return kept.get();
}

}  // namespace

ElementUpdate::ElementUpdate(const Layout& layout)
    : layout_(layout),
      computed_(is_half(layout.dtype) ? float32 : layout.dtype),
      value_(builder_.input(computed_)),  // replaced below: a Scalar is always one of a program's
      gradient_(value_) {
  scalars_.push_back(value_);
  for (int i = 1; i < layout.scalars; ++i) scalars_.push_back(builder_.input(computed_));
  const auto element = [&] { return scalar::cast(builder_.input(layout.dtype), computed_); };
  value_ = element();
  gradient_ = element();
  for (int i = 0; i < layout.slots; ++i) slots_.push_back(element());
  for (int i = 0; i < layout.own_scalars; ++i) own_scalars_.push_back(builder_.input(computed_));
}

Scalar ElementUpdate::constant(double value) {
  parameters_.push_back(value);
  return builder_.parameter(computed_);
}

ElementUpdate::Recorded ElementUpdate::finish(const char* name) {
  std::vector<Scalar> results = {scalar::cast(value_, layout_.dtype)};
  for (Scalar slot : slots_) results.push_back(scalar::cast(slot, layout_.dtype));
  return {shared(builder_.finish(name, results)), parameters_};
}

}  // namespace alula::keras
