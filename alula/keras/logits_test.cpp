#include "alula/keras/logits.h"

#include <gtest/gtest.h>

#include "alula/ops/reshape.h"
#include "alula/ops/softmax.h"
#include "alula/runtime/dispatch.h"

using namespace alula;
using namespace alula::keras;

TEST(Logits, AreRemembered) {
  const Tensor x = {{1.f, 2.f}, {3.f, 4.f}};
  const Tensor p = remember_logits(softmax(x), x, Squashed::kSoftmax);
  EXPECT_TRUE(logits_behind(p, Squashed::kSoftmax).same_as(x));
  EXPECT_FALSE(logits_behind(p, Squashed::kSigmoid).defined());
  const Tensor copy = p;
  EXPECT_TRUE(logits_behind(copy, Squashed::kSoftmax).same_as(x));
}

TEST(Logits, AreForgottenByWhatComesAfter) {
  const Tensor x = {{1.f, 2.f}, {3.f, 4.f}};
  const Tensor p = remember_logits(softmax(x), x, Squashed::kSoftmax);
  EXPECT_FALSE(logits_behind(reshape(p, {4}), Squashed::kSoftmax).defined());
  EXPECT_FALSE(logits_behind(x, Squashed::kSoftmax).defined());
}

TEST(Logits, ASymbolRemembersBoth) {
  const Tensor x = Tensor::symbolic({float32, {kUnknown, 2}}, Ref<Note>(new Symbol()));
  const Tensor p = remember_logits(softmax(x), x, Squashed::kSoftmax);
  EXPECT_NE(p.note<Symbol>(), nullptr);
  EXPECT_TRUE(logits_behind(p, Squashed::kSoftmax).same_as(x));
}
