#pragma once
#include "alula/data/read_ahead.h"

namespace alula::data {

/// Has the thread that reads ahead put elements on a device's queue, behind the work that the
/// reader has given to the device so far. Nothing to do on the CPU.
ReadAheadWalk::Work bringing_to(Device device);

}  // namespace alula::data
