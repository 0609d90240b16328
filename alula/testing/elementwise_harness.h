#pragma once
#include "alula/ops/elementwise.h"
#include "alula/testing/harness.h"

namespace alula::testing {

using Plain1 = std::function<double(double)>;
using Plain2 = std::function<double(double, double)>;
using Plain3 = std::function<double(double, double, double)>;

/// Checks an elementwise function against a plain one: every dtype that it takes, sizes around the
/// SIMD widths, empty, scalar and large, every way of broadcasting, special values, and its
/// gradient.
void check_elementwise(const Elementwise& f, const Plain1& plain, ElementwiseCheck options = {});
void check_elementwise(const Elementwise& f, const Plain2& plain, ElementwiseCheck options = {});
void check_elementwise(const Elementwise& f, const Plain3& plain, ElementwiseCheck options = {});
/// A function with parameters, called by `call`.
void check_elementwise(const Elementwise& f, const std::function<Tensor(const Tensor&)>& call,
                       const Plain1& plain, ElementwiseCheck options = {});

}  // namespace alula::testing
