#pragma once

#include <functional>

#include "gpu/runtime/stream.h"

namespace isolume::gpu {

/// Work that was recorded on a stream, to be queued again and again by one call of the driver in place of one
/// for each kernel. Owns it.
class Graph {
 public:
  /// What `work` queues on the stream is recorded and not run. It may launch kernels, and copy and set memory
  /// that is the device's or pinned; neither it nor anything it calls may take or give back memory, use
  /// events, or wait: CUDA forbids that to the thread that records. Kernels are best launched once before, as
  /// the driver may have to load them. Throws what `work` throws; Error where the work cannot be recorded,
  /// with the stream as if nothing had happened; dispatch::DeviceLost.
  Graph(const Stream& stream, const std::function<void()>& work);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Queues the work on a stream of the same device. The graph may be destroyed before it is done.
  void launch(const Stream& stream) const;

 private:
  const GpuDevice* device_;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace isolume::gpu
