#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "alula/backends/cuda/card.h"
#include "alula/backends/cuda/layout.h"
#include "alula/scalar/program.h"

namespace alula::cuda {

/// The kernels made of one scalar program, found without printing it again.
class ProgramKernels final : public scalar::Prepared {
 public:
  static const ProgramKernels& of(const scalar::Program& program);
  explicit ProgramKernels(const scalar::Program& program) : program_(program) {}

  /// The one that applies the program to each element.
  LoadedKernel elementwise(Card& card, const Pattern& pattern) const;

  /// Another one, by a name that tells it from all others; `make` gives its source the first time.
  template <class Make>
  LoadedKernel find(Card& card, const std::string& name, const Make& make) const {
    const std::lock_guard lock(mutex_);
    for (const Named& entry : named_)
      if (entry.card == &card && entry.name == name) return entry.kernel;
    named_.push_back({&card, name, card.find(make())});
    return named_.back().kernel;
  }

 private:
  struct Patterned {
    Card* card;
    Pattern pattern;
    LoadedKernel kernel;
  };
  struct Named {
    Card* card;
    std::string name;
    LoadedKernel kernel;
  };

  const scalar::Program& program_;
  mutable std::mutex mutex_;
  mutable std::vector<Patterned> patterned_;
  mutable std::vector<Named> named_;
};

}  // namespace alula::cuda
