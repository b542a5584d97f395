#pragma once

#include <cstdint>
#include <functional>

#include "gpu/runtime/stream.h"

namespace isolume::gpu {

/// The first of `count` consecutive numbers that no content has had yet.
std::uint64_t new_constant_contents(int count);

/// The kernels' constant memory exists once a device, so jobs on one device take turns with it. `load` queues
/// the copy of some content into it and is called when something else is there; `use` queues the kernels that
/// read it. Both queue on `stream`, whose device is current. The turns are kept on the device by an event:
/// the host waits for nothing but other threads that are queueing. From any thread.
void with_constant_memory(std::uint64_t content, const Stream& stream, const std::function<void()>& load,
                          const std::function<void()>& use);

}  // namespace isolume::gpu
