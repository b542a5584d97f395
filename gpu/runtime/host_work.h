#pragma once

#include <memory>
#include <utility>

#include "gpu/runtime/stream.h"

namespace isolume::gpu {

/// Queues `work()` on a stream, to be called on a thread of the runtime; it must not call the runtime or
/// throw. The emulated vendor libraries use it.
template <class Work>
void queue_host_work(const Stream& stream, Work work) {
  auto kept = std::make_unique<Work>(std::move(work));
  const auto call = [](void* data) { (*std::unique_ptr<Work>(static_cast<Work*>(data)))(); };
  require_success(cudaLaunchHostFunc(stream.get(), call, kept.get()), "queueing work of the host");
  kept.release();
}

}  // namespace isolume::gpu
