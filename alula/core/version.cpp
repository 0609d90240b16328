#include "alula/core/version.h"

namespace alula {

const char* version() { return ALULA_VERSION; }

}  // namespace alula
