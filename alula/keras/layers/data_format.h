#pragma once
#include <string>

#include "alula/keras/setting.h"

namespace alula::keras {

/// Where the channels of images are. Only "channels_last" is supported, which is also the default;
/// the error names `who`.
void check_data_format(const char* who, const Setting<std::string>& data_format);

}  // namespace alula::keras
