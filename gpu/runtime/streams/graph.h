#pragma once

#include <functional>

#include "gpu/runtime/streams/stream.h"

namespace isolume::gpu {

/// Owns work that was recorded on a stream, to be queued repeatedly by one call of the driver instead of one
/// for each kernel.
class Graph {
 public:
  /// The work that `work` queues on the stream is recorded and not run. It may launch kernels, and copy and
  /// set device or pinned memory. It must not take or return memory, use events, or wait: CUDA forbids these
  /// to the recording thread. Kernels should be launched once before, as the driver may have to load them.
  /// Throws what `work` throws; Error if the work cannot be recorded, with the stream unchanged;
  /// dispatch::DeviceLost.
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
