#pragma once
#include "alula/scalar/scalar.h"

namespace alula::scalar {

/// Records a whole program within another: `inputs` are the values of its inputs, and `parameters`
/// become constants. Its results.
std::vector<Scalar> inlined(Builder& builder, const Program& program,
                            std::span<const Scalar> inputs, std::span<const double> parameters);

/// The one program that is kept of all that are alike in name and code. It lives as long as the
/// process: programs know no shapes, so that there are only so many.
const Program& interned(std::unique_ptr<Program> program);

}  // namespace alula::scalar
