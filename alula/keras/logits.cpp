#include "alula/keras/logits.h"

#include "alula/ops/cast.h"

namespace alula::keras {
namespace {

struct Logits final : Note {
  Tensor logits;
  Squashed kind;
  Logits(const Tensor& logits, Squashed kind) : logits(logits), kind(kind) {}
};

}  // namespace

Tensor remember_logits(Tensor probabilities, const Tensor& logits, Squashed kind) {
  probabilities.add_note(Ref<Note>(new Logits(logits, kind)));
  return probabilities;
}

Tensor at_least_single(const Tensor& x) {
  if (!is_half(x.dtype())) return x;
  const Logits* found = x.note<Logits>();
  Tensor wide = cast(x, float32);
  return found == nullptr ? wide : remember_logits(wide, cast(found->logits, float32), found->kind);
}

Tensor logits_behind(const Tensor& probabilities, Squashed kind) {
  const Logits* found = probabilities.note<Logits>();
  return found != nullptr && found->kind == kind ? found->logits : Tensor();
}

}  // namespace alula::keras
