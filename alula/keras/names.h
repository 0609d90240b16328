#pragma once
#include <string>
#include <typeinfo>

namespace alula::keras {

/// The name of a C++ class as users know it: without namespaces, and without "Impl" at its end.
std::string class_name_of(const std::type_info& type);

namespace backend {
/// Starts the numbers of default names again.
void clear_session();
}  // namespace backend

}  // namespace alula::keras
