#pragma once

#include <chrono>
#include <optional>

#include "core/jobs/progress.h"
#include "gpu/runtime/cuda_error.h"

namespace isolume::gpu {

class Event;
class GpuDevice;

/// A queue of work on one device, in order. Owns it. Used by one thread at a time.
class Stream {
 public:
  explicit Stream(const GpuDevice& device);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const GpuDevice& device() const { return *device_; }
  cudaStream_t get() const { return stream_; }
  /// Makes its device the calling thread's current one, as launches need it.
  void make_current() const;

  /// Waits for everything in the queue; throws Error when any of it failed.
  void wait() const;
  /// As wait(), but throws Cancelled soon after the progress is cancelled and dispatch::DeviceLost when the
  /// deadline passes. What is queued goes on running after either: buffers of this stream stay reserved until
  /// it has ended.
  void wait(std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress) const;
  /// Later work of this stream waits until the event has happened.
  void wait_for(const Event& event) const;

 private:
  const GpuDevice* device_;
  cudaStream_t stream_ = nullptr;
};

/// A mark in a stream.
class Event {
 public:
  explicit Event(bool timed = false);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const Stream& stream);
  bool happened() const;
  /// Milliseconds on the device between two timed events, both of which have happened.
  static double milliseconds(const Event& begin, const Event& end);
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace isolume::gpu
