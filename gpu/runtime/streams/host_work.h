#pragma once

#include <functional>
#include <utility>

#include "gpu/emulator/host_work.h"
#include "gpu/runtime/streams/stream.h"

namespace isolume::gpu {

/// Queues `work()` on a stream, to be called on a thread of the runtime; it must not call the runtime or
/// throw. The emulated vendor libraries use it.
inline void queue_host_work(const Stream& stream, std::function<void()> work) {
  require_success(emulator::launch_host_work(stream.get(), std::move(work)), "queueing work of the host");
}

}  // namespace isolume::gpu
