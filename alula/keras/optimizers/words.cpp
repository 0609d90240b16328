#include "alula/keras/words.h"

#include <algorithm>
#include <cctype>

#include "alula/keras/optimizers/optimizers.h"

namespace alula::keras {
namespace {

template <class O>
Optimizer make() {
  return O();
}

constexpr Word<Optimizer (*)()> kOptimizers[] = {
    {"sgd", make<optimizers::SGD>},         {"rmsprop", make<optimizers::RMSprop>},
    {"adam", make<optimizers::Adam>},       {"adamw", make<optimizers::AdamW>},
    {"adagrad", make<optimizers::Adagrad>}, {"adadelta", make<optimizers::Adadelta>},
    {"adamax", make<optimizers::Adamax>},   {"nadam", make<optimizers::Nadam>},
    {"ftrl", make<optimizers::Ftrl>},       {"lion", make<optimizers::Lion>},
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Optimizer::Optimizer(const char* word)
    : Optimizer(look_up("optimizer", lower(word), kOptimizers)()) {}

}  // namespace alula::keras
