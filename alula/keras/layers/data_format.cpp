#include "alula/keras/layers/data_format.h"

namespace alula::keras {

void check_data_format(const char* who, const Setting<std::string>& data_format) {
  if (!data_format.given() || data_format.value() == "channels_last") return;
  require(data_format.value() == "channels_first",
          "{}: data_format is \"channels_last\" or \"channels_first\". Got \"{}\".", who,
          data_format.value());
  fail<UnimplementedError>(
      "{}: only data_format = \"channels_last\" is supported. Got \"channels_first\". Put a "
      "Permute({{.dims = {{2, 3, 1}}}}) before it.",
      who);
}

}  // namespace alula::keras
