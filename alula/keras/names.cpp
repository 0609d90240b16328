#include "alula/keras/names.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

#include "alula/keras/words.h"

namespace alula::keras {

std::string class_name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  std::string name = status == 0 ? text.get() : type.name();
  if (const size_t colon = name.rfind("::"); colon != std::string::npos) name.erase(0, colon + 2);
  constexpr std::string_view kSuffix = "Impl";
  if (name.size() > kSuffix.size() && name.ends_with(kSuffix))
    name.resize(name.size() - kSuffix.size());
  return name;
}

void backend::clear_session() { forget_names(); }

}  // namespace alula::keras
