#pragma once
#include "python/src/common.h"

namespace alula::python {

/// A list of Python's callbacks as `fit` takes them. Each is told of what it overrides, with the
/// interpreter's lock; what C++ has a callback for is told without it. Signals are looked at
/// between batches, so that Ctrl-C ends training. To be made and let go with the lock.
class CallbackList {
 public:
  CallbackList(nb::handle callbacks, nb::handle model);
  ~CallbackList();
  CallbackList(const CallbackList&) = delete;
  CallbackList& operator=(const CallbackList&) = delete;

  const std::vector<keras::CallbackRef>& refs() const { return refs_; }

 private:
  std::vector<keras::CallbackRef> refs_;
  std::vector<keras::Callback*> native_;
};

/// Numbers as a dict, and back.
nb::dict to_dict(const keras::Logs& logs);

}  // namespace alula::python
