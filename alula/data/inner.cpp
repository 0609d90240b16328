#include "alula/data/inner.h"

#include <algorithm>
#include <cstring>

#include "alula/data/blocks.h"
#include "alula/data/merge.h"

namespace alula::data {
namespace {

/// Zeros and empty strings.
Tensor blank(const Spec& spec) {
  Tensor tensor = Tensor::uninitialized(spec);
  if (spec.dtype != string && tensor.bytes() > 0)
    std::memset(tensor.mutable_data(), 0, static_cast<size_t>(tensor.bytes()));
  return tensor;
}

/// An element that another shape is possible for: dimensions that are not known are one larger than
/// those of `like`, or 1.
Row another(const ElementSpec& spec, const Row& like) {
  Row row;
  for (size_t i = 0; i < spec.specs.size(); ++i) {
    Spec each = spec.specs[i];
    for (int axis = 0; axis < each.rank(); ++axis)
      if (each.shape[axis] == kUnknown)
        each.shape[axis] = like.empty() ? 1 : like[i].shape()[axis] + 1;
    row.push_back(blank(each));
  }
  return row;
}

/// Whether all that the first says of its elements holds for those of the second.
bool holds_for(const ElementSpec& wide, const ElementSpec& narrow) {
  return merged(wide, narrow) == wide;
}

bool all_compatible(const ElementSpec& a, const ElementSpec& b) {
  for (size_t i = 0; i < a.specs.size(); ++i)
    if (!compatible(a.specs[i].shape, b.specs[i].shape)) return false;
  return true;
}

}  // namespace

InnerDatasets::InnerDatasets(const char* who, DatasetFunction function, const Stage& input)
    : function_(std::move(function)), spec_(probe(who, input)) {}

/// The function is called with the first element, as only an element has values. If shapes of
/// elements are unknown, also with one of another shape, to see what depends on it: the data sets
/// of windows are of different lengths, for one.
ElementSpec InnerDatasets::probe(const char* who, const Stage& input) const {
  Context context;
  context.budget = std::make_shared<Budget>(Budget::default_limit());
  Row first;
  ElementSpec spec;
  try {
    const bool empty = !input.walk(context)->next(first);
    if (empty) first = another(input.spec(), {});
    spec = function_(Element(input.spec().structure, first)).element_spec();
  } catch (...) {
    rethrow_from(fmt::format("{}: making the data set of the first element failed: ", who));
  }
  if (has_known_shapes(input.spec())) return spec;
  try {
    const Row other = another(input.spec(), first);
    const ElementSpec second = function_(Element(input.spec().structure, other)).element_spec();
    if (mergeable(spec, second)) return merged(spec, second);
  } catch (const std::exception&) {  // it minds what the values are: then the first must do
  }
  return spec;
}

StageRef InnerDatasets::make(const Stage& who, const ElementSpec& input, const Row& row,
                             int64_t index) const {
  StageRef stage;
  try {
    const std::lock_guard lock(mutex_);
    stage = function_(Element(input.structure, row)).stage();
  } catch (...) {
    rethrow_from(fmt::format("{}: element {}: ", who.title(), index));
  }
  require(mergeable(spec_, stage->spec()) && all_compatible(spec_, stage->spec()),
          "{}: element {}: its data set gives {}, but that of the first element {}. Bring all to "
          "the same arrangement, dtypes and shapes with map.",
          who.title(), index, stage->spec(), spec_);
  return stage;
}

InnerWalk::InnerWalk(const Stage& who, const InnerDatasets& datasets, Row element, int64_t index,
                     const Context& context)
    : who_(who),
      element_(std::move(element)),
      index_(index),
      stage_(datasets.make(who, who.input().spec(), element_, index)),
      must_check_(!holds_for(who.spec(), stage_->spec())) {
  try {
    walk_ = stage_->walk(context.nested(static_cast<uint64_t>(index)));
  } catch (...) {
    rethrow();
  }
}

void InnerWalk::rethrow() const {
  rethrow_from(fmt::format("{}: in the data set of element {}: ", who_.title(), index_));
}

bool InnerWalk::next(Row& row) {
  try {
    if (!walk_->next(row)) return false;
  } catch (...) {
    rethrow();
  }
  if (must_check_) check(row, 0);
  return true;
}

int64_t InnerWalk::next_block(int64_t count, Row& block, std::exception_ptr& error) {
  int64_t taken = 0;
  guarded(error, [&] {
    try {
      std::exception_ptr inner;
      taken = walk_->next_block(count, block, inner);
      if (inner != nullptr) std::rethrow_exception(inner);
    } catch (...) {
      rethrow();
    }
    if (must_check_ && taken > 0) check(block, 1);
  });
  return taken;
}

void InnerWalk::check(const Row& row, int first_axis) const {
  for (size_t i = 0; i < row.size(); ++i) {
    const Shape& shape = row[i].shape();
    require(compatible(shape.slice(first_axis, shape.rank()), who_.spec().specs[i].shape),
            "{}: in the data set of element {}: there is {}, but the data set of the first element "
            "gives {}. Bring all to one shape, or use drop_remainder.",
            who_.title(), index_, row[i].spec(), who_.spec());
  }
}

}  // namespace alula::data
