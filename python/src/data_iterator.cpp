#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "alula/data/host.h"
#include "python/src/data.h"
#include "python/src/errors.h"

namespace alula::python {
namespace {

/// Python's exceptions pass through a pipeline whole; where they happened is a note on them.
class PythonErrors final : public data::HostErrors {
 public:
  bool is_one(const std::exception& error) const override {
    return dynamic_cast<const nb::python_error*>(&error) != nullptr;
  }
  bool asks_to_stop(const std::exception& error) const override {
    const nb::gil_scoped_acquire lock;
    return PyErr_GivenExceptionMatches(value_of(error).ptr(), PyExc_Exception) == 0;
  }
  void add_note(const std::exception& error, const std::string& where) const override {
    const nb::gil_scoped_acquire lock;
    const nb::object added =
        nb::steal(PyObject_CallMethod(value_of(error).ptr(), "add_note", "s", where.c_str()));
    if (!added.is_valid()) PyErr_Clear();
  }

 private:
  static nb::handle value_of(const std::exception& error) {
    return dynamic_cast<const nb::python_error&>(error).value();
  }
};

/// One walk. It is used without the interpreter's lock, by one thread at a time; whoever ends it
/// waits for its threads, which may need that lock.
class Walking {
 public:
  explicit Walking(const data::Dataset& dataset) : dataset_(dataset) {
    iterator_.emplace(dataset_.iterator());
  }

  bool next(data::Row& row) {
    const Turn turn(*this);
    const data::WhileWaiting checking(&check_signals);
    return iterator_ && iterator_->next(row);
  }
  std::string save() {
    const Turn turn(*this);
    check_open();
    return iterator_->save();
  }
  void restore(std::string_view state) {
    const Turn turn(*this);
    check_open();
    iterator_->restore(state);
  }
  /// Ends it, if nobody reads from it for much longer.
  void close() {
    const std::unique_lock lock(mutex_, std::chrono::seconds(1));
    if (lock.owns_lock()) iterator_.reset();
  }
  const data::Dataset& dataset() const { return dataset_; }
  const data::Structure& structure() const { return dataset_.element_spec().structure; }

 private:
  class Turn {
   public:
    explicit Turn(Walking& walking) : walking_(walking) {
      require<FailedPreconditionError>(walking.reader_ != std::this_thread::get_id(),
                                       "iterator: a step of it reads from the iterator itself.");
      walking.mutex_.lock();
      walking.reader_ = std::this_thread::get_id();
    }
    ~Turn() {
      walking_.reader_ = std::thread::id();
      walking_.mutex_.unlock();
    }

   private:
    Walking& walking_;
  };
  void check_open() const {
    require<FailedPreconditionError>(iterator_.has_value(), "iterator: it was closed.");
  }

  data::Dataset dataset_;
  std::timed_mutex mutex_;
  std::atomic<std::thread::id> reader_;
  std::optional<data::Iterator> iterator_;
};

/// All walks that Python holds. When the interpreter ends they are ended first: their threads could
/// not take its lock any more.
class AllWalks {
 public:
  void add(const std::shared_ptr<Walking>& walking) {
    const std::lock_guard lock(mutex_);
    walks_[walking.get()] = walking;
  }
  void remove(const Walking* walking) {
    const std::lock_guard lock(mutex_);
    walks_.erase(walking);
  }
  void close() {
    std::vector<std::shared_ptr<Walking>> open;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [key, walking] : walks_)
        if (auto held = walking.lock()) open.push_back(std::move(held));
    }
    for (const auto& walking : open) walking->close();
  }

 private:
  std::mutex mutex_;
  std::map<const Walking*, std::weak_ptr<Walking>> walks_;
};

AllWalks& all_walks() {
  static auto* const all = new AllWalks();
  return *all;
}

/// What Python holds of a walk.
class IteratorObject {
 public:
  explicit IteratorObject(const data::Dataset& dataset)
      : walking_(without_lock([&] { return std::make_shared<Walking>(dataset); })) {
    all_walks().add(walking_);
  }
  ~IteratorObject() {
    all_walks().remove(walking_.get());
    const Released released;
    walking_.reset();
  }
  IteratorObject(const IteratorObject&) = delete;
  IteratorObject& operator=(const IteratorObject&) = delete;

  Walking& walking() const { return *walking_; }
  /// The next element; none at the end.
  bool next(data::Row& row) const {
    return without_lock([&] { return walking_->next(row); });
  }

 private:
  std::shared_ptr<Walking> walking_;
};

class NumpyIteratorObject : public IteratorObject {
  using IteratorObject::IteratorObject;
};

nb::object element_of(const IteratorObject& self, const data::Row& row) {
  return to_python(self.walking().structure(), row.data());
}
nb::object element_of(const NumpyIteratorObject& self, const data::Row& row) {
  return to_python_arrays(self.walking().structure(), row.data());
}

template <class T>
PyObject* next_slot(PyObject* self) noexcept {
  try {
    const T& iterator = *nb::inst_ptr<T>(self);
    data::Row row;
    if (!iterator.next(row)) return nullptr;
    return element_of(iterator, row).release().ptr();
  } catch (...) {
    return raise();
  }
}

template <class T>
PyType_Slot* iterator_slots() {
  static PyType_Slot slots[] = {
      {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
      {Py_tp_iternext, reinterpret_cast<void*>(&next_slot<T>)},
      {0, nullptr},
  };
  return slots;
}

nb::object get_next(const IteratorObject& self) {
  data::Row row;
  require<OutOfRangeError>(self.next(row), "iterator: there are no more elements.");
  return element_of(self, row);
}

}  // namespace

void check_signals() {
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

nb::object make_iterator(const data::Dataset& dataset) {
  return nb::cast(new IteratorObject(dataset), nb::rv_policy::take_ownership);
}
nb::object make_numpy_iterator(const data::Dataset& dataset) {
  return nb::cast(new NumpyIteratorObject(dataset), nb::rv_policy::take_ownership);
}

void bind_data_iterator(nb::module_& m) {
  static const PythonErrors python_errors;
  data::set_host_errors(&python_errors);
  nb::class_<IteratorObject>(
      m, "Iterator", nb::type_slots(iterator_slots<IteratorObject>()),
      "A walk through a data set. Its threads stop when it is let go.\n\n"
      ">>> iterator = iter(tf.data.Dataset.range(3))\n>>> next(iterator).numpy()\nnp.int64(0)")
      .def("get_next", &get_next, "The next element; an OutOfRangeError at the end.")
      .def_prop_ro(
          "element_spec",
          [](const IteratorObject& self) {
            return spec_to_python(self.walking().dataset().element_spec());
          },
          "What the elements are: a nest of tf.TensorSpec.")
      .def(
          "save",
          [](const IteratorObject& self) {
            const std::string state = without_lock([&] { return self.walking().save(); });
            return nb::bytes(state.data(), state.size());
          },
          "Where it is, in the middle of an epoch or not, as bytes.\n\n"
          ">>> dataset = tf.data.Dataset.range(10).shuffle(10, seed=1)\n"
          ">>> iterator, other = iter(dataset), iter(dataset)\n"
          ">>> first = next(iterator)\n"
          ">>> other.restore(iterator.save())\n"
          ">>> [int(x) for x in iterator] == [int(x) for x in other]\nTrue")
      .def(
          "restore",
          [](const IteratorObject& self, const nb::bytes& state) {
            const std::string_view bytes(state.c_str(), state.size());
            without_lock([&] { self.walking().restore(bytes); });
          },
          "state"_a, "Goes on from where an iterator of the same pipeline was when it was saved.");
  nb::class_<NumpyIteratorObject>(m, "NumpyIterator",
                                  nb::type_slots(iterator_slots<NumpyIteratorObject>()),
                                  "A walk through a data set that gives NumPy's arrays.");
  m.def("_close_all", [] { without_lock([] { all_walks().close(); }); });
}

}  // namespace alula::python
