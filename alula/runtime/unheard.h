#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

/// While one lives, the listeners around it hear nothing: what a trace notes is no computation, and
/// what runs inside a node is the node's own business.
class Unheard {
 public:
  Unheard() : listener_(t_state.listener), flags_(t_state.flags) {
    t_state.listener = nullptr;
    t_state.flags &= ~ThreadState::kListening;
  }
  ~Unheard() {
    t_state.listener = listener_;
    t_state.flags |= flags_ & ThreadState::kListening;
  }
  Unheard(const Unheard&) = delete;
  Unheard& operator=(const Unheard&) = delete;

 private:
  Listener* listener_;
  uint32_t flags_;
};

}  // namespace alula
