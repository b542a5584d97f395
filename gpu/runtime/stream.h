#pragma once

#include "gpu/runtime/cuda_error.h"

namespace isolume::gpu {

/// A queue of work on the current device, in order. Owns it.
class Stream {
 public:
  Stream() { require_success(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }
  /// Waits for everything in the queue; throws Error when any of it failed.
  void wait() const { require_success(cudaStreamSynchronize(stream_), "work on the device"); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace isolume::gpu
