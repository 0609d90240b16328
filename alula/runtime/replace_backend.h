#pragma once
#include <memory>

#include "alula/runtime/backend.h"

namespace alula {

/// Puts a backend into the place of the one that its device has, which it gives back: whoever wants
/// to see all that a device is asked to do passes it on from there. Tensors that the first one has
/// allocated stay its own.
std::unique_ptr<Backend> replace_backend(std::unique_ptr<Backend> backend);

}  // namespace alula
