#pragma once
#include "alula/core/output.h"

namespace alula::keras {

using alula::Output;
using alula::output;
using alula::set_output;

}  // namespace alula::keras
