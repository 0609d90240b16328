#include "python/src/keras_convert.h"

namespace alula::python {
namespace {

bool is_word(nb::handle value) { return PyUnicode_Check(value.ptr()); }

void check_callable(nb::handle value, const char* what) {
  if (PyCallable_Check(value.ptr()) == 0)
    throw nb::value_error(fmt::format("{}: it is a word, an object or a function. Got {}.", what,
                                      nb::repr(value).c_str())
                              .c_str());
}

/// Words and numbers from get_config(), and classes, become objects by Python's own `get`.
nb::object resolved(nb::handle value, const char* module) {
  if (!PyDict_Check(value.ptr()) && !PyType_Check(value.ptr())) return nb::borrow(value);
  return nb::module_::import_(module).attr("get")(value);
}

}  // namespace

nb::tuple shape_tuple(const Shape& shape) {
  nb::list dims;
  for (const int64_t dim : shape)
    dims.append(dim == kUnknown ? nb::none() : nb::object(nb::int_(dim)));
  return nb::tuple(dims);
}

std::function<Tensor(const Tensor&)> to_function(nb::handle value) {
  check_callable(value, "function");
  return [function = Held(value)](const Tensor& x) {
    const nb::gil_scoped_acquire lock;
    return to_tensor(as_traced(function.get())(wrap(x)));
  };
}

keras::Activation to_activation(nb::handle value) {
  if (value.is_none()) return {};
  if (is_word(value)) return nb::cast<std::string>(value);
  const nb::object function = resolved(value, "alula.keras.activations");
  check_callable(function, "activation");
  return to_function(function);
}

keras::Initializer to_initializer(nb::handle value) {
  if (value.is_none()) return {};
  if (is_word(value)) return nb::cast<std::string>(value);
  const nb::object given = resolved(value, "alula.keras.initializers");
  if (const keras::Initializer * held;
      nb::try_cast(given, held) && held != nullptr && held->given())
    return *held;
  if (held_tensor(given) != nullptr) {
    const Tensor constant = to_tensor(given);
    return [constant](const Shape& shape, DType dtype) {
      return broadcast_to(cast(constant, dtype), shape);
    };
  }
  check_callable(given, "initializer");
  return [function = Held(given)](const Shape& shape, DType dtype) {
    const nb::gil_scoped_acquire lock;
    return cast(to_tensor(function.get()(shape_tuple(shape), "dtype"_a = wrap(dtype))), dtype);
  };
}

keras::Regularizer to_regularizer(nb::handle value) {
  if (value.is_none()) return {};
  if (is_word(value)) return nb::cast<std::string>(value);
  const nb::object given = resolved(value, "alula.keras.regularizers");
  if (const keras::Regularizer * held;
      nb::try_cast(given, held) && held != nullptr && held->given())
    return *held;
  check_callable(given, "regularizer");
  return to_function(given);
}

keras::LearningRate to_learning_rate(nb::handle value) {
  if (value.is_none())
    throw nb::value_error("optimizer: learning_rate is a number or a schedule. Got None.");
  if (const keras::Schedule * held; nb::try_cast(value, held) && held->given()) return *held;
  if (PyCallable_Check(value.ptr()) != 0 && held_tensor(value) == nullptr &&
      held_variable(value) == nullptr) {
    const auto name = nb::cast<std::string>(nb::getattr(value, "name", nb::str("schedule")));
    return keras::Schedule(name, [function = Held(value)](int64_t step) {
      const nb::gil_scoped_acquire lock;
      const WithoutTracing now;
      const Tensor rate = to_tensor(function.get()(wrap(Tensor(Number(step), int64))));
      return cast(rate, float64).item<double>();
    });
  }
  const WithoutTracing now;
  return cast(to_tensor(value), float64).item<double>();
}

Size2 to_size2(nb::handle value) {
  const std::vector<int64_t> sizes = to_ints(value, "size");
  if (sizes.size() == 1) return {sizes[0]};
  if (sizes.size() != 2)
    throw nb::value_error(
        fmt::format("size: it is one number or two. Got {}.", nb::repr(value).c_str()).c_str());
  return {sizes[0], sizes[1]};
}

keras::InputShape to_input_shape(nb::handle value) {
  return value.is_none() ? keras::InputShape() : keras::InputShape(to_shape(value));
}

keras::Border2D Convert<keras::Border2D>::from(nb::handle value) {
  if (PyLong_Check(value.ptr())) return {nb::cast<int64_t>(value)};
  if (nb::len(value) == 2 && !PyLong_Check(nb::object(value[0]).ptr())) {
    const std::vector<int64_t> rows = to_ints(nb::object(value[0]), "padding");
    const std::vector<int64_t> columns = to_ints(nb::object(value[1]), "padding");
    if (rows.size() == 2 && columns.size() == 2)
      return {PadSize{rows[0], rows[1]}, PadSize{columns[0], columns[1]}};
    throw std::bad_cast();
  }
  const std::vector<int64_t> sizes = to_ints(value, "padding");
  if (sizes.size() != 2) throw std::bad_cast();
  return {sizes[0], sizes[1]};
}

namespace {

/// A Keras argument for one number: the size of the only dimension of an example.
constexpr Converter kInputDim{[](void* to, nb::handle value) {
                                if (!value.is_none())
                                  *static_cast<keras::InputShape*>(to) =
                                      keras::InputShape({nb::cast<int64_t>(value)});
                              },
                              nullptr, "int | None", false};

/// The shape with the batch before it.
constexpr Converter kBatchShape{
    [](void* to, nb::handle value) {
      if (value.is_none()) return;
      const Shape shape = to_shape(value);
      require(shape.rank() > 0, "batch_shape: it begins with the size of the batch. Got {}.",
              shape);
      *static_cast<keras::InputShape*>(to) = shape.slice(1, shape.rank());
    },
    nullptr, "typing.Any", false};

}  // namespace

std::vector<Field> input_shape_fields(size_t offset) {
  const auto hidden = [&](const char* name, const Converter* converter) {
    return Field{name, offset, converter, Field::Kind::kHidden, true};
  };
  return {hidden("input_shape", converter_of<keras::InputShape>()), hidden("input_dim", &kInputDim),
          hidden("batch_shape", &kBatchShape), hidden("batch_input_shape", &kBatchShape)};
}

}  // namespace alula::python
