#pragma once

#include <cstdint>
#include <functional>

#include "gpu/runtime/streams/stream.h"

namespace isolume::gpu {

/// The first of `count` consecutive, unused content numbers.
std::uint64_t new_constant_contents(int count);

/// The kernels' constant memory exists once per device, so jobs on one device use it in turn. `load` queues
/// the copy of a content into it and is called if another one is there; `use` queues the kernels that read
/// it. Both queue on `stream`, whose device is current. An event keeps the order on the device: the host
/// waits only for other threads that are queueing. From any thread.
void with_constant_memory(std::uint64_t content, const Stream& stream, const std::function<void()>& load,
                          const std::function<void()>& use);

}  // namespace isolume::gpu
