#pragma once
#include <span>
#include <string_view>

#include "alula/ops/elementwise.h"

namespace alula {

/// Every elementwise function, in the order of their files. Made by the build from the folder.
std::span<const Elementwise* const> elementwise_table();

/// The elementwise function of that name, or none.
const Elementwise* find_elementwise(std::string_view name);

}  // namespace alula
