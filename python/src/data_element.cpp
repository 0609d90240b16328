#include <map>

#include "python/src/data.h"
#include "python/src/dtype.h"

namespace alula::python {
namespace {

using data::Structure;

bool is_dict(nb::handle value) {
  return PyDict_Check(value.ptr()) ||
         (PyMapping_Check(value.ptr()) != 0 && nb::hasattr(value, "keys") &&
          nb::hasattr(value, "__getitem__") && held_tensor(value) == nullptr &&
          !nb::hasattr(value, "__array__"));
}
/// A shape is a tuple, and a leaf.
bool is_tuple(nb::handle value) {
  return PyTuple_Check(value.ptr()) && !nb::hasattr(value, "as_list");
}

std::string name_of_key(nb::handle key) {
  if (!PyUnicode_Check(key.ptr()))
    throw nb::type_error(
        fmt::format("data: the keys of a dict must be texts. Got {}.", nb::repr(key).c_str())
            .c_str());
  return nb::cast<std::string>(key);
}

/// The classes of named tuples that elements are of. In a structure they are tuples whose items
/// have names, "Point.x"; of two classes with the same names, the one seen last is made.
class NamedTuples {
 public:
  static void add(nb::handle value, Structure& structure) {
    const auto type = nb::cast<std::string>(value.type().attr("__name__"));
    for (const nb::handle field : nb::object(value.attr("_fields")))
      structure.names.push_back(type + "." + nb::cast<std::string>(field));
    PyObject*& held = classes()[structure.names];
    if (held == value.type().ptr()) return;
    Py_XDECREF(held);
    held = value.type().inc_ref().ptr();
  }
  static nb::object make(nb::handle tuple, const Structure& structure) {
    const auto found = classes().find(structure.names);
    if (found == classes().end()) return nb::borrow(tuple);
    return nb::handle(found->second).attr("_make")(tuple);
  }

 private:
  /// Used with the interpreter's lock alone.
  static std::map<std::vector<std::string>, PyObject*>& classes() {
    static auto* const all = new std::map<std::vector<std::string>, PyObject*>();
    return *all;
  }
};

/// Takes a Python nest apart: what `leaf` is called with comes in the order of the structure.
template <class F>
Structure take_apart(nb::handle value, const F& leaf) {
  Structure structure;
  if (is_tuple(value)) {
    structure.kind = Structure::Kind::kTuple;
    for (const nb::handle item : value) structure.items.push_back(take_apart(item, leaf));
    if (!PyTuple_CheckExact(value.ptr()) && nb::hasattr(value, "_fields"))
      NamedTuples::add(value, structure);
  } else if (is_dict(value)) {
    structure.kind = Structure::Kind::kNamed;
    for (const nb::handle key : nb::object(value.attr("keys")())) {
      structure.names.push_back(name_of_key(key));
      structure.items.push_back(take_apart(value[key], leaf));
    }
  } else {
    leaf(value, structure);
  }
  return structure;
}

[[noreturn]] void fail_structure(nb::handle value, const data::ElementSpec& spec) {
  throw nb::type_error(fmt::format("data: an element is not arranged as was announced, {}. Got {}.",
                                   spec, nb::repr(value).c_str())
                           .c_str());
}

/// A value as a tensor of a dtype; values are converted as NumPy converts them.
Tensor cast_to(nb::handle value, DType dtype) {
  const Tensor tensor = to_tensor_like(value, dtype);
  if (tensor.dtype() == dtype) return tensor;
  return tensor.dtype() == string || dtype == string ? to_tensor(value, dtype)
                                                     : cast(tensor, dtype);
}

class ByStructure {
 public:
  explicit ByStructure(const data::ElementSpec& spec) : spec_(spec) {}

  void add(nb::handle value, const Structure& structure) {
    if (structure.is_leaf()) {
      tensors.push_back(cast_to(value, spec_.specs[tensors.size()].dtype));
    } else if (structure.kind == Structure::Kind::kTuple) {
      const bool list = PyTuple_Check(value.ptr()) || PyList_Check(value.ptr());
      if (!list || nb::len(value) != structure.items.size()) fail_structure(value, spec_);
      for (size_t i = 0; i < structure.items.size(); ++i) add(value[i], structure.items[i]);
    } else {
      if (!is_dict(value) || nb::len(value) != structure.items.size()) fail_structure(value, spec_);
      for (size_t i = 0; i < structure.items.size(); ++i) {
        const nb::str key(structure.names[i].c_str());
        if (PySequence_Contains(value.ptr(), key.ptr()) != 1) fail_structure(value, spec_);
        add(value[key], structure.items[i]);
      }
    }
  }

  std::vector<Tensor> tensors;

 private:
  const data::ElementSpec& spec_;
};

/// Puts a nest together; `leaf(structure)` gives what is next.
template <class F>
nb::object put_together(const Structure& structure, const F& leaf) {
  switch (structure.kind) {
    case Structure::Kind::kTensor:
    case Structure::Kind::kWindow: return leaf(structure);
    case Structure::Kind::kNamed: {
      nb::dict dict;
      for (size_t i = 0; i < structure.items.size(); ++i)
        dict[structure.names[i].c_str()] = put_together(structure.items[i], leaf);
      return dict;
    }
    case Structure::Kind::kTuple: break;
  }
  const auto size = static_cast<Py_ssize_t>(structure.items.size());
  nb::object tuple = nb::steal(PyTuple_New(size));
  for (Py_ssize_t i = 0; i < size; ++i)
    PyTuple_SetItem(tuple.ptr(), i,
                    put_together(structure.items[static_cast<size_t>(i)], leaf).release().ptr());
  return structure.names.empty() ? tuple : NamedTuples::make(tuple, structure);
}

nb::object spec_class(const char* name) { return nb::module_::import_("alula._spec").attr(name); }

}  // namespace

data::Element to_element(nb::handle value) {
  std::vector<Tensor> tensors;
  const Structure structure = take_apart(value, [&](nb::handle leaf, Structure&) {
    if (nb::isinstance<data::Dataset>(leaf))
      throw nb::type_error("data: a data set cannot be part of an element. Use zip or flat_map.");
    tensors.push_back(to_tensor(leaf));
  });
  return {structure, std::move(tensors)};
}

data::Element to_element(nb::handle value, const data::ElementSpec& spec) {
  ByStructure parts(spec);
  parts.add(value, spec.structure);
  return {spec.structure, std::move(parts.tensors)};
}

nb::object to_python(const Structure& structure, const Tensor* tensors) {
  return put_together(structure, [&](const Structure& leaf) {
    const Tensor& tensor = *tensors++;
    return leaf.kind == Structure::Kind::kTensor
               ? wrap(tensor)
               : nb::cast(data::Element(leaf, {tensor}).dataset());
  });
}

nb::object to_python_arrays(const Structure& structure, const Tensor* tensors) {
  return put_together(structure, [&](const Structure& leaf) -> nb::object {
    const Tensor& tensor = *tensors++;
    if (leaf.kind == Structure::Kind::kTensor) return to_numpy(tensor);
    return make_numpy_iterator(data::Element(leaf, {tensor}).dataset());
  });
}

nb::object spec_to_python(const Spec& spec) {
  return spec_class("TensorSpec")(wrap(spec.shape), wrap(spec.dtype));
}

nb::object spec_to_python(const data::ElementSpec& spec) {
  const Spec* next = spec.specs.data();
  return put_together(spec.structure, [&](const Structure& leaf) -> nb::object {
    const Spec& each = *next++;
    if (leaf.kind == Structure::Kind::kTensor) return spec_to_python(each);
    const Shape inner = each.shape.slice(1, each.rank());
    return spec_class("DatasetSpec")(spec_to_python(each.with(inner)));
  });
}

data::ElementSpec to_element_spec(nb::handle value) {
  data::ElementSpec spec{{}, {}};
  spec.structure = take_apart(value, [&](nb::handle leaf, Structure&) {
    if (!nb::hasattr(leaf, "shape") || !nb::hasattr(leaf, "dtype"))
      throw nb::type_error(
          fmt::format("data: the signature of an element is made of tf.TensorSpec. Got {}.",
                      nb::repr(leaf).c_str())
              .c_str());
    spec.specs.push_back({to_dtype(leaf.attr("dtype")), to_shape(leaf.attr("shape"))});
  });
  return spec;
}

Structure to_structure(nb::handle value) {
  return take_apart(value, [](nb::handle, Structure&) {});
}

const data::Dataset& to_dataset(nb::handle value, const char* who) {
  if (!nb::isinstance<data::Dataset>(value))
    throw nb::type_error(fmt::format("{}: must be a tf.data.Dataset. Got {} (a {}).", who,
                                     nb::repr(value).c_str(), nb::type_name(value.type()).c_str())
                             .c_str());
  return *nb::inst_ptr<data::Dataset>(value);
}

int64_t to_int(nb::handle value) {
  const std::vector<int64_t> ints =
      value.is_none() ? std::vector<int64_t>{} : to_ints(value, "data");
  if (ints.size() != 1)
    throw nb::type_error(
        fmt::format("data: must be one integer. Got {}.", nb::repr(value).c_str()).c_str());
  return ints[0];
}

int64_t to_parallel_calls(nb::handle value) {
  if (value.is_none()) return 0;
  const int64_t calls = to_int(value);
  require(calls > 0 || calls == data::AUTOTUNE,
          "data: num_parallel_calls must be positive or tf.data.AUTOTUNE. Got {}.", calls);
  return calls;
}

std::vector<std::string> to_strings(nb::handle value) {
  // Paths of pathlib are texts, too.
  const auto text = [](nb::handle item) {
    return nb::hasattr(item, "__fspath__") ? nb::object(item.attr("__fspath__")())
                                           : nb::borrow(item);
  };
  if (value.is_none()) return {};
  Tensor tensor;
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
    nb::list texts;
    for (const nb::handle item : value) texts.append(text(item));
    if (texts.size() == 0) return {};
    tensor = to_tensor(texts);
  } else {
    tensor = to_tensor(text(value));
  }
  require(tensor.dtype() == string && tensor.rank() <= 1, "data: must be texts. Got {}.",
          tensor.spec());
  const auto texts = tensor.span<std::string>();
  return {texts.begin(), texts.end()};
}

}  // namespace alula::python
