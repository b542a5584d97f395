#pragma once

#include <chrono>
#include <memory>
#include <source_location>

#include "core/jobs/progress.h"
#include "gpu/runtime/cuda_error.h"

namespace isolume::gpu {

class Event;
class GpuDevice;
struct AllocatorStream;
struct WaitLimits;

/// Priority of kernels on a device: those of a picture take little time, and a window waits for them, so they
/// come first.
enum class Urgency { computing, drawing };

/// Owns a queue of work on one device, in order. Used by one thread at a time. May be destroyed before its
/// work is done, and before the buffers that were made for it.
class Stream {
 public:
  explicit Stream(const GpuDevice& device, Urgency urgency = Urgency::computing);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const GpuDevice& device() const { return *device_; }
  cudaStream_t get() const { return stream_; }
  /// Makes its device the calling thread's current one, as launches require.
  void make_current() const;

  /// Waits for everything in the queue; throws Error if any of it failed.
  void wait(std::source_location where = std::source_location::current()) const;
  /// Like wait(), but throws Cancelled within a millisecond of the progress being cancelled, and, when the
  /// deadline passes, gives the device up and throws dispatch::DeviceLost. Queued work continues after
  /// either: buffers of this stream stay reserved until it has ended.
  void wait(std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress,
            std::source_location where = std::source_location::current()) const;
  void wait(const WaitLimits& limits, std::source_location where = std::source_location::current()) const;
  /// Allows work of this stream to use memory that was allocated for `owner`, another stream of its device:
  /// freed memory is reused there only after the work queued here by then, cancelled or not. The owner
  /// must live as long as the memory that was allocated for it.
  void uses_memory_of(const Stream& owner) const;
  /// Later work of this stream waits until the event has completed.
  void wait_for(const Event& event) const;
  /// For the allocator.
  const std::shared_ptr<AllocatorStream>& allocator_stream() const { return allocator_stream_; }

 private:
  const GpuDevice* device_;
  std::shared_ptr<AllocatorStream> allocator_stream_;
  cudaStream_t stream_ = nullptr;
};

/// A position in a stream of its device: a stream of another one may wait for it, but not record it.
class Event {
 public:
  /// Makes the device current.
  explicit Event(const GpuDevice& device, bool timed = false);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// An event that was never recorded counts as completed.
  void record(const Stream& stream);
  bool completed() const;
  /// Like Stream::wait, for the work before the event.
  void wait(std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress) const;
  /// Milliseconds between two completed, timed events of one device, by its clock.
  static double milliseconds(const Event& begin, const Event& end);
  cudaEvent_t get() const { return event_; }

 private:
  const GpuDevice* device_;
  cudaEvent_t event_ = nullptr;
};

}  // namespace isolume::gpu
