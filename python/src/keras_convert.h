#pragma once
#include "python/src/dtype.h"
#include "python/src/keras_options.h"

/// How each type of option is made from what Keras's users write.
namespace alula::python {

keras::Activation to_activation(nb::handle value);
keras::Initializer to_initializer(nb::handle value);
keras::Regularizer to_regularizer(nb::handle value);
keras::LearningRate to_learning_rate(nb::handle value);
/// A function of one tensor that calls Python.
/// Labels in the predictions' dtype, as Keras gives them to functions of one's own: they compute
/// with both.
inline Tensor like_predictions(const Tensor& y_true, const Tensor& y_pred) {
  const bool cast_them = y_true.dtype() != string && is_floating(y_pred.dtype());
  return cast_them ? cast(y_true, y_pred.dtype()) : y_true;
}
std::function<Tensor(const Tensor&)> to_function(nb::handle value);
Size2 to_size2(nb::handle value);
keras::InputShape to_input_shape(nb::handle value);
nb::tuple shape_tuple(const Shape& shape);

/// A type that nanobind converts by itself.
template <class T>
struct PlainConvert {
  static T from(nb::handle value) { return nb::cast<T>(value); }
  static nb::object to(const T& value) { return nb::cast(value); }
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<int64_t> : PlainConvert<int64_t> {
  static int64_t from(nb::handle value) {
    if (PyBool_Check(value.ptr()) || PyFloat_Check(value.ptr())) throw std::bad_cast();
    return nb::cast<int64_t>(value);
  }
  static constexpr const char* kAnnotation = "int";
};
template <>
struct Convert<int> : PlainConvert<int> {
  static constexpr const char* kAnnotation = "int";
};
template <>
struct Convert<double> : PlainConvert<double> {
  static constexpr const char* kAnnotation = "float";
};
template <>
struct Convert<bool> : PlainConvert<bool> {
  static bool from(nb::handle value) {
    const int truth = PyObject_IsTrue(value.ptr());
    if (truth < 0) throw nb::python_error();
    return truth != 0;
  }
  static constexpr const char* kAnnotation = "bool";
};
/// A text, and None the empty one: names.
template <>
struct Convert<std::string> {
  static std::string from(nb::handle value) {
    return value.is_none() ? std::string() : nb::cast<std::string>(value);
  }
  static nb::object to(const std::string& value) {
    return value.empty() ? nb::none() : nb::object(nb::str(value.c_str()));
  }
  static constexpr const char* kAnnotation = "str | None";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<DType> {
  static DType from(nb::handle value) { return to_dtype(value); }
  static nb::object to(DType value) { return nb::cast(to_string(value)); }
  static constexpr const char* kAnnotation = "str";
  static constexpr bool kKeeps = false;
};
/// What a layer computes in: a policy, its name or configuration, or a dtype.
keras::Policy to_policy(nb::handle value);
template <>
struct Convert<keras::Policy> {
  static keras::Policy from(nb::handle value) { return to_policy(value); }
  static nb::object to(const keras::Policy& value) { return nb::cast(value.name()); }
  static constexpr const char* kAnnotation = "typing.Any";
  static constexpr bool kKeeps = false;
};
template <class T>
struct Convert<keras::Setting<T>> {
  static keras::Setting<T> from(nb::handle value) {
    return value.is_none() ? keras::Setting<T>() : keras::Setting<T>(Convert<T>::from(value));
  }
  static nb::object to(const keras::Setting<T>& value) {
    return value.given() ? Convert<T>::to(value.value()) : nb::none();
  }
  static constexpr const char* kAnnotation = "typing.Any";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<Size2> {
  static Size2 from(nb::handle value) { return to_size2(value); }
  static nb::object to(const Size2& value) { return nb::make_tuple(value.height, value.width); }
  static constexpr const char* kAnnotation = "int | tuple[int, int]";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<keras::PoolStrides> {
  static keras::PoolStrides from(nb::handle value) {
    return value.is_none() ? keras::PoolStrides() : keras::PoolStrides(to_size2(value));
  }
  static nb::object to(const keras::PoolStrides& value) {
    const Size2 size = value.value_or(Size2(0));
    return size.height == 0 ? nb::none() : nb::object(nb::make_tuple(size.height, size.width));
  }
  static constexpr const char* kAnnotation = "int | tuple[int, int] | None";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<Padding> {
  static Padding from(nb::handle value) { return Padding(nb::cast<std::string_view>(value)); }
  static nb::object to(const Padding& value) {
    return nb::str(value.kind == Padding::kSame ? "same" : "valid");
  }
  static constexpr const char* kAnnotation = "str";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<keras::Border2D> {
  static keras::Border2D from(nb::handle value);
  static nb::object to(const keras::Border2D& value) {
    return nb::make_tuple(nb::make_tuple(value.rows.before, value.rows.after),
                          nb::make_tuple(value.columns.before, value.columns.after));
  }
  static constexpr const char* kAnnotation = "typing.Any";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<Shape> {
  static Shape from(nb::handle value) { return to_shape(value); }
  static nb::object to(const Shape& value) {
    return value.rank() == 0 ? nb::none() : nb::object(shape_tuple(value));
  }
  static constexpr const char* kAnnotation = "typing.Any";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<keras::InputShape> {
  static keras::InputShape from(nb::handle value) { return to_input_shape(value); }
  static nb::object to(const keras::InputShape& value) {
    if (!value.given()) return nb::none();
    const Shape shape = value.with_batch();
    return shape_tuple(shape.slice(1, shape.rank()));
  }
  static constexpr const char* kAnnotation = "typing.Any";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<keras::Activation> {
  static keras::Activation from(nb::handle value) { return to_activation(value); }
  static nb::object to(const keras::Activation& value) { return nb::str(value.name().c_str()); }
  static constexpr const char* kAnnotation = "typing.Any";
  static constexpr bool kKeeps = true;
};
template <>
struct Convert<keras::Initializer> {
  static keras::Initializer from(nb::handle value) { return to_initializer(value); }
  static nb::object to(const keras::Initializer& value) {
    return value.given() ? nb::object(nb::str(value.name().c_str())) : nb::none();
  }
  static constexpr const char* kAnnotation = "typing.Any";
  static constexpr bool kKeeps = true;
};
template <>
struct Convert<keras::Regularizer> {
  static keras::Regularizer from(nb::handle value) { return to_regularizer(value); }
  static nb::object to(const keras::Regularizer&) { return nb::none(); }
  static constexpr const char* kAnnotation = "typing.Any";
  static constexpr bool kKeeps = true;
};
template <>
struct Convert<std::function<Tensor(const Tensor&)>> {
  static std::function<Tensor(const Tensor&)> from(nb::handle value) { return to_function(value); }
  static nb::object to(const std::function<Tensor(const Tensor&)>&) { return nb::none(); }
  static constexpr const char* kAnnotation = "typing.Callable";
  static constexpr bool kKeeps = true;
};
template <>
struct Convert<random::Seed> {
  static random::Seed from(nb::handle value) {
    return value.is_none() ? random::Seed() : random::Seed(nb::cast<int64_t>(value));
  }
  static nb::object to(const random::Seed& value) {
    return value.given() ? nb::object(nb::int_(static_cast<int64_t>(value.value()))) : nb::none();
  }
  static constexpr const char* kAnnotation = "int | None";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<Axes> {
  static Axes from(nb::handle value) { return Axes(to_ints(value, "axis")); }
  static nb::object to(const Axes& value) {
    if (value.given().size() == 1) return nb::int_(value.given()[0]);
    return nb::cast(std::vector<int64_t>(value.given().begin(), value.given().end()));
  }
  static constexpr const char* kAnnotation = "int | list[int]";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<std::vector<int64_t>> {
  static std::vector<int64_t> from(nb::handle value) { return to_ints(value, "dims"); }
  static nb::object to(const std::vector<int64_t>& value) { return nb::tuple(nb::cast(value)); }
  static constexpr const char* kAnnotation = "tuple[int, ...]";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<std::vector<double>> : PlainConvert<std::vector<double>> {
  static constexpr const char* kAnnotation = "list[float]";
};
template <>
struct Convert<keras::Reduction> {
  static keras::Reduction from(nb::handle value) {
    return value.is_none() ? keras::Reduction("none")
                           : keras::Reduction(nb::cast<std::string>(value));
  }
  static nb::object to(const keras::Reduction& value) {
    constexpr const char* kWords[] = {"sum_over_batch_size", "mean_with_sample_weight", "sum",
                                      "none"};
    return nb::str(kWords[static_cast<int>(value.kind())]);
  }
  static constexpr const char* kAnnotation = "str | None";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<keras::LearningRate> {
  static keras::LearningRate from(nb::handle value) { return to_learning_rate(value); }
  static nb::object to(const keras::LearningRate& value) { return nb::float_(value.number()); }
  static constexpr const char* kAnnotation = "typing.Any";
  static constexpr bool kKeeps = true;
};
template <>
struct Convert<keras::metrics::Thresholds> {
  static keras::metrics::Thresholds from(nb::handle value) {
    if (value.is_none()) return {};
    if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()))
      return nb::cast<std::vector<double>>(value);
    return nb::cast<double>(value);
  }
  static nb::object to(const keras::metrics::Thresholds& value) {
    return value.given() ? nb::cast(value.values()) : nb::none();
  }
  static constexpr const char* kAnnotation = "float | list[float] | None";
  static constexpr bool kKeeps = false;
};

}  // namespace alula::python
