#pragma once
#include "alula/core/tensor.h"

namespace alula::keras::datasets {

/// Examples and their labels, as many of one as of the other.
struct Split {
  Tensor x;
  Tensor y;
};

/// What a data set comes as: `auto [train, test] = mnist::load_data();`
struct Splits {
  Split train;
  Split test;
};

}  // namespace alula::keras::datasets
