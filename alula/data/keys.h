#pragma once
#include "alula/data/stage.h"

namespace alula::data {

/// The keys that a walk draws random numbers by. A saved walk goes on with the same ones.
class SavedKeys {
 public:
  explicit SavedKeys(const Context& context) : keys_(context.keys) {}
  const random::ElementScope::Keys& keys() const { return keys_; }
  void save(StateWriter& state) const {
    state.number(static_cast<int64_t>(keys_.unseeded));
    state.number(static_cast<int64_t>(keys_.seeded));
  }
  void restore(StateReader& state) {
    keys_.unseeded = static_cast<uint64_t>(state.number());
    keys_.seeded = static_cast<uint64_t>(state.number());
  }

 private:
  random::ElementScope::Keys keys_;
};

}  // namespace alula::data
