#pragma once
#include "alula/runtime/op.h"
#include "alula/scalar/program.h"

/// What the ops' `attributes` share.
namespace alula {

/// Adds a field unless it has its usual value, which then goes without saying.
template <class T>
void add_unless(const std::type_identity_t<T>& usual, Attributes& attributes, const char* name,
                const T& value) {
  if (!(value == usual)) attributes.emplace_back(name, value);
}

/// Adds numbers that are given with a call, if there are any.
void add_parameters(std::span<const double> parameters, Attributes& attributes);

/// Adds what a program's name does not say of it: nothing if it is an elementwise function's.
void add_program(const scalar::Program& program, Attributes& attributes);

}  // namespace alula
