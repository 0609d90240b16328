#include "alula/keras/regularizers.h"

#include "alula/keras/words.h"
#include "alula/ops/abs.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/square.h"

namespace alula::keras {
namespace {

constexpr Word<Regularizer (*)()> kWords[] = {
    {"L1", [] { return regularizers::L1(); }},
    {"L1L2", [] { return regularizers::L1L2(); }},
    {"L2", [] { return regularizers::L2(); }},
    {"l1", [] { return regularizers::L1(); }},
    {"l1l2", [] { return regularizers::L1L2(); }},
    {"l2", [] { return regularizers::L2(); }},
    {"l1_l2", [] { return regularizers::L1L2(0.01, 0.01); }},
};

}  // namespace

Regularizer::Regularizer(const std::string& word) {
  *this = look_up("regularizer", word, kWords)();
}

namespace regularizers {

Regularizer L1(double l1) { return L1L2(l1, 0); }
Regularizer L2(double l2) { return L1L2(0, l2); }

Regularizer L1L2(double l1, double l2) {
  require(l1 >= 0 && l2 >= 0, "regularizer: the factors cannot be negative. Got {} and {}.", l1,
          l2);
  return [l1, l2](const Tensor& w) {
    if (l2 == 0) return reduce_sum(abs(w)) * l1;
    const Tensor squares = reduce_sum(square(w)) * l2;
    return l1 == 0 ? squares : squares + reduce_sum(abs(w)) * l1;
  };
}

}  // namespace regularizers
}  // namespace alula::keras
