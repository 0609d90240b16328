#pragma once
#include <cstdint>

#include "alula/core/device.h"

/// A device in host memory that behaves as a second device does: its queue is a thread of its own,
/// its memory is limited and cannot be touched by code of the host, and what crosses takes time.
/// Whatever concerns a second device is tested on it, on machines without a GPU. It computes with
/// the kernels of the CPU.
///
/// A process that never adds one has neither its thread nor its memory.
namespace alula::simulated {

struct Options {
  int64_t memory_limit = 256 << 20;
  int64_t launch_latency_us = 0;  // before a kernel or a prepared list runs
  int64_t copy_latency_us = 0;    // before the bytes of a copy move
  int64_t bytes_per_second = 0;   // of copies from and to the host; 0: as fast as they go
};

/// Adds a device, the first free of '/SIM:0', '/SIM:1', …
///   const Device sim = simulated::add({.memory_limit = 1 << 20, .copy_latency_us = 500});
Device add(const Options& options = {});

/// Takes a device away, after all that is on its queue. No tensor may be left on it.
void remove(Device device);

/// What has been put on a device's queue since it was added: what tests prove a crossing with.
struct Statistics {
  int64_t launches = 0;  // kernels; a prepared list is one
  int64_t copies_from_host = 0;
  int64_t copies_to_host = 0;
  int64_t copies_within = 0;
  int64_t bytes_from_host = 0;
  int64_t bytes_to_host = 0;
};
Statistics statistics(Device device);

}  // namespace alula::simulated
