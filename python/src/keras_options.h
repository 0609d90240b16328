#pragma once
#include "python/src/convert.h"

/// Keras's options as keyword arguments. A class is described by a table of fields; from it come
/// the constructor, its signature in help() and stubs, get_config() and the attributes of an
/// object.
namespace alula::python {

/// How one type of option is made from what Python gives, and shown to it.
struct Converter {
  void (*read)(void* to, nb::handle value);
  nb::object (*show)(const void* from);
  const char* annotation;
  /// Whether an object that is no word or number is kept for get_config(): C++ cannot show it.
  bool keeps;
};

/// One argument of a constructor.
struct Field {
  enum class Kind : uint8_t {
    kOption,   // may be left out
    kNeeded,   // may not
    kHidden,   // another way to say what a field says: not in get_config()
    kMissing,  // Keras has it and Alula does not: only its default is taken
  };
  std::string name;
  size_t offset = 0;
  const Converter* converter = nullptr;
  Kind kind = Kind::kOption;
  bool keyword_only = false;
};

/// Conversion of a type of option: `from`, `to`, `kAnnotation`, `kKeeps`.
template <class T>
struct Convert;

template <class T>
const Converter* converter_of() {
  static constexpr Converter converter{
      [](void* to, nb::handle value) { *static_cast<T*>(to) = Convert<T>::from(value); },
      [](const void* from) -> nb::object { return Convert<T>::to(*static_cast<const T*>(from)); },
      Convert<T>::kAnnotation, Convert<T>::kKeeps};
  return &converter;
}

template <class Options, class T>
size_t offset_of(T Options::* member) {
  const Options options{};
  return static_cast<size_t>(reinterpret_cast<const std::byte*>(&(options.*member)) -
                             reinterpret_cast<const std::byte*>(&options));
}

template <class Options, class T>
Field field(const char* name, T Options::* member) {
  return {name, offset_of(member), converter_of<T>(), Field::Kind::kOption, false};
}
template <class Options, class T>
Field needed(const char* name, T Options::* member) {
  return {name, offset_of(member), converter_of<T>(), Field::Kind::kNeeded, false};
}
/// An argument of Keras's that is only taken as None (or False).
inline Field missing(const char* name) { return {name, 0, nullptr, Field::Kind::kMissing, false}; }
inline Field keyword(Field field) {
  field.keyword_only = true;
  return field;
}

/// The arguments of a class.
class Table {
 public:
  Table(std::string who, std::vector<Field> fields)
      : who_(std::move(who)), fields_(std::move(fields)) {}

  /// Reads a call's arguments into an options struct. Objects that only Python can show are put
  /// into `kept`, which stays null where there are none.
  void read(void* options, const nb::args& args, const nb::kwargs& kwargs, nb::object& kept) const;
  /// The options as get_config() gives them.
  void show(const void* options, nb::handle kept, nb::dict& config) const;
  /// One option by name; null if there is none of that name.
  nb::object find(const void* options, nb::handle kept, std::string_view name) const;
  /// `def __init__(self, units: int, activation: … = None, …)`
  std::string signature(const void* defaults, const char* function = "__init__") const;

 private:
  nb::object value(const Field& field, const void* options, nb::handle kept) const;
  void set(const Field& field, void* options, nb::handle value, nb::object& kept) const;
  const Field& named(std::string_view name) const;

  std::string who_;
  std::vector<Field> fields_;
};

/// Objects that an instance was made with and that only Python can show: its attribute `_given`.
nb::object given_of(nb::handle self);
void set_given(nb::handle self, nb::handle kept);

}  // namespace alula::python
