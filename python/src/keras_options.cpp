#include "python/src/keras_options.h"

#include <algorithm>

namespace alula::python {
namespace {

bool is_plain(nb::handle value) {
  return value.is_none() || PyUnicode_Check(value.ptr()) || PyFloat_Check(value.ptr()) ||
         PyLong_Check(value.ptr()) || PyTuple_Check(value.ptr()) || PyList_Check(value.ptr());
}

}  // namespace

nb::object given_of(nb::handle self) { return nb::getattr(self, "_given", nb::none()); }

void set_given(nb::handle self, nb::handle kept) {
  if (kept.ptr() == nullptr) return;
  if (PyObject_GenericSetAttr(self.ptr(), nb::str("_given").ptr(), kept.ptr()) != 0)
    throw nb::python_error();
}

void Table::set(const Field& field, void* options, nb::handle value, nb::object& kept) const {
  if (field.kind == Field::Kind::kMissing) {
    if (!value.is_none() && !value.is(Py_False))
      throw nb::value_error(fmt::format("{}: {} is not supported. Got {}. Leave it out.", who_,
                                        field.name, nb::repr(value).c_str())
                                .c_str());
    return;
  }
  try {
    field.converter->read(static_cast<std::byte*>(options) + field.offset, value);
  } catch (const nb::python_error&) {
    throw;
  } catch (const std::bad_cast&) {
    throw nb::type_error(fmt::format("{}: {} must be {}. Got {}.", who_, field.name,
                                     field.converter->annotation, nb::repr(value).c_str())
                             .c_str());
  }
  if (!field.converter->keeps || is_plain(value)) return;
  if (!kept.is_valid()) kept = nb::dict();
  kept[field.name.c_str()] = value;
}

const Field& Table::named(std::string_view name) const {
  for (const Field& field : fields_)
    if (field.name == name) return field;
  std::string names;
  for (const Field& field : fields_)
    if (field.kind != Field::Kind::kMissing) names += (names.empty() ? "" : ", ") + field.name;
  throw nb::type_error(
      fmt::format("{}() got an unexpected keyword argument '{}'. It takes {}.", who_, name, names)
          .c_str());
}

void Table::read(void* options, const nb::args& args, const nb::kwargs& kwargs,
                 nb::object& kept) const {
  std::vector<const Field*> given;  // by position
  for (const Field& field : fields_)
    if (!field.keyword_only && given.size() < args.size()) given.push_back(&field);
  if (args.size() > given.size())
    throw nb::type_error(fmt::format("{}() takes at most {} positional arguments. Got {}.", who_,
                                     given.size(), args.size())
                             .c_str());
  for (size_t i = 0; i < given.size(); ++i) set(*given[i], options, args[i], kept);
  const auto is_given = [&](const Field& field) {
    return std::find(given.begin(), given.end(), &field) != given.end();
  };
  for (const auto [key, value] : kwargs) {
    const Field& field = named(nb::cast<std::string_view>(key));
    if (is_given(field))
      throw nb::type_error(
          fmt::format("{}() got multiple values for argument '{}'.", who_, field.name).c_str());
    set(field, options, value, kept);
  }
  for (const Field& field : fields_)
    if (field.kind == Field::Kind::kNeeded && !is_given(field) &&
        !kwargs.contains(field.name.c_str()))
      throw nb::type_error(
          fmt::format("{}() missing 1 required positional argument: '{}'", who_, field.name)
              .c_str());
}

nb::object Table::value(const Field& field, const void* options, nb::handle kept) const {
  if (kept.ptr() != nullptr && !kept.is_none() &&
      nb::cast<nb::dict>(kept).contains(field.name.c_str()))
    return kept[field.name.c_str()];
  return field.converter->show(static_cast<const std::byte*>(options) + field.offset);
}

void Table::show(const void* options, nb::handle kept, nb::dict& config) const {
  for (const Field& field : fields_)
    if (field.kind == Field::Kind::kOption || field.kind == Field::Kind::kNeeded)
      config[field.name.c_str()] = value(field, options, kept);
}

nb::object Table::find(const void* options, nb::handle kept, std::string_view name) const {
  for (const Field& field : fields_)
    if (field.name == name && field.converter != nullptr) return value(field, options, kept);
  return {};
}

std::string Table::signature(const void* defaults, const char* function) const {
  std::string text = fmt::format("def {}(self", function);
  bool keywords = false, optional = false;
  for (const Field& field : fields_) {
    if (field.keyword_only && !keywords) {
      text += ", *";
      keywords = true;
    }
    const char* type = field.converter != nullptr ? field.converter->annotation : "None";
    text += fmt::format(", {}: {}", field.name, type);
    optional = optional || field.kind != Field::Kind::kNeeded;
    if (!optional) continue;
    const nb::object shown =
        field.kind == Field::Kind::kMissing || field.kind == Field::Kind::kHidden
            ? nb::none()
            : field.converter->show(static_cast<const std::byte*>(defaults) + field.offset);
    text += fmt::format(" = {}", nb::repr(shown).c_str());
  }
  return text + ") -> None";
}

}  // namespace alula::python
