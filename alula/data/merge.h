#pragma once
#include "alula/data/element.h"

namespace alula::data {

/// Whether elements of both can be of one data set: the same arrangement, dtypes and ranks.
bool mergeable(const ElementSpec& a, const ElementSpec& b);
/// What holds for both: dimensions that differ are unknown.
ElementSpec merged(const ElementSpec& a, const ElementSpec& b);

}  // namespace alula::data
