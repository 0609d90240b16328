#pragma once
#include <functional>
#include <string>

#include "alula/keras/model_impl.h"

namespace alula::keras {

struct SummaryOptions {
  Setting<int64_t> line_length = {};  // what fits the terminal, at most 88 to 120
  std::function<void(const std::string&)> print_fn = {};  // the standard output
  bool expand_nested = false;                             // show the layers of models within it
  bool show_trainable = false;
};

/// The table of a model's layers, as Keras prints it into a file: without colours.
std::string summary_text(ModelImpl& model, const SummaryOptions& options = {});

}  // namespace alula::keras
