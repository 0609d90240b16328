#include "alula/data/merge.h"

namespace alula::data {

bool mergeable(const ElementSpec& a, const ElementSpec& b) {
  if (a.structure != b.structure) return false;
  for (size_t i = 0; i < a.specs.size(); ++i)
    if (a.specs[i].dtype != b.specs[i].dtype || a.specs[i].rank() != b.specs[i].rank())
      return false;
  return true;
}

ElementSpec merged(const ElementSpec& a, const ElementSpec& b) {
  ElementSpec both = a;
  for (size_t i = 0; i < both.specs.size(); ++i) {
    Shape& shape = both.specs[i].shape;
    for (int axis = 0; axis < shape.rank(); ++axis)
      if (shape[axis] != b.specs[i].shape[axis]) shape[axis] = kUnknown;
  }
  return both;
}

}  // namespace alula::data
