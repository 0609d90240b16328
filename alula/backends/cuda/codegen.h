#pragma once
#include <span>
#include <string>
#include <string_view>

#include "alula/backends/cuda/card.h"
#include "alula/backends/cuda/layout.h"
#include "alula/scalar/program.h"

/// Prints scalar programs as CUDA C++.
namespace alula::cuda {

/// A kernel named `name` that applies a program to each element of tensors that line up like
/// `pattern`; without the prelude. Its arguments: the inputs, the outputs, Layout::argument(), then
/// the program's parameters as doubles.
std::string kernel_source(const scalar::Program& program, const Pattern& pattern,
                          std::string_view name);

/// The program as a device function of one element of each input:
/// compute_NAME(inputs…, parameters as doubles…, outputs&…).
std::string compute_function(const scalar::Program& program, std::string_view name);

/// The addresses of a kernel's arguments, as a launch takes them. The views, the layout and the
/// parameters must outlive it.
class Arguments {
 public:
  Arguments(const Layout& layout, std::span<const View> inputs, std::span<const View> outputs,
            std::span<const double> parameters);
  void** data() { return pointers_.data(); }

 private:
  InlineVector<void*, 12> pointers_;
};

}  // namespace alula::cuda
