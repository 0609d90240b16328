#include "alula/ops/sigmoid_cross_entropy.h"

#include <cmath>

#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;

TEST(SigmoidCrossEntropy, OfProbabilities) {
  const Tensor labels = {0.f, 1.f, 0.3f, 1.f, 0.f}, logits = {0.5f, -2.f, 1.f, 200.f, 200.f};
  const std::vector<float> losses =
      sigmoid_cross_entropy_with_logits(labels, logits).to_vector<float>();
  for (size_t i = 0; i < 3; ++i) {
    const double z = labels.to_vector<float>()[i],
                 p = 1 / (1 + std::exp(-logits.to_vector<float>()[i]));
    EXPECT_NEAR(losses[i], -z * std::log(p) - (1 - z) * std::log(1 - p), 1e-6);
  }
  EXPECT_EQ(losses[3], 0);
  EXPECT_EQ(losses[4], 200);
  EXPECT_ERROR(sigmoid_cross_entropy_with_logits(labels, ones({2})), InvalidArgumentError,
               "must have the same shape");
}

TEST(SigmoidCrossEntropy, WithWeights) {
  const Tensor labels = {1.f, 0.f, 0.5f}, logits = {0.3f, -0.4f, 2.f};
  const std::vector<float> plain =
      sigmoid_cross_entropy_with_logits(labels, logits).to_vector<float>();
  const std::vector<float> ones_ =
      weighted_cross_entropy_with_logits(labels, logits, Tensor(1.f)).to_vector<float>();
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(plain[i], ones_[i], 1e-6);
  EXPECT_NEAR(weighted_cross_entropy_with_logits(labels, logits, Tensor(2.f)).to_vector<float>()[0],
              2 * plain[0], 1e-6);
}

TEST(L2Loss, IsHalfOfTheSquares) { EXPECT_EQ(l2_loss(Tensor{3.f, 4.f}).item<float>(), 12.5f); }
