#include "gpu/runtime/stream.h"

#include <thread>

#include "core/dispatch/dispatch.h"
#include "gpu/runtime/allocator.h"
#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {

namespace {

/// Of a query. An answer "not yet" stays behind as CUDA's last error, and code that looks there after its
/// launches, as CUB's does, would take it for its own.
bool done(cudaError_t status, std::source_location where) {
  if (status == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  require_success(status, "work on the device", where);
  return true;
}

/// Asks `finished` until it says so: without a pause for as long as a small kernel takes, then so rarely that
/// the core is free for others.
template <class Finished>
void poll(const Finished& finished, const GpuDevice& device, std::chrono::steady_clock::time_point deadline,
          const jobs::Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  while (!finished()) {
    progress.check();
    const auto now = Clock::now();
    if (now > deadline) {
      device.give_up();
      throw dispatch::DeviceLost(device.name() +
                                 " did not finish its work in time. It is given up; start the "
                                 "program again to use it.");
    }
    if (now - start < std::chrono::microseconds(50)) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(
          std::chrono::microseconds(now - start < std::chrono::milliseconds(5) ? 20 : 200));
    }
  }
}

}  // namespace

Stream::Stream(const GpuDevice& device) : device_(&device) {
  device.make_current();
  require_success(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  try {
    order_ = device.allocator().stream_begins(stream_);
  } catch (...) {
    cudaStreamDestroy(stream_);
    throw;
  }
}

Stream::~Stream() {
  device_->allocator().stream_ends(*order_);
  if (!device_->given_up()) cudaStreamDestroy(stream_);
}

void Stream::make_current() const {
  device_->make_current();
}

void Stream::wait(std::source_location where) const {
  require_success(cudaStreamSynchronize(stream_), "work on the device", where);
}

void Stream::wait(std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress,
                  std::source_location where) const {
  poll([&] { return done(cudaStreamQuery(stream_), where); }, *device_, deadline, progress);
}

void Stream::wait_for(const Event& event) const {
  require_success(cudaStreamWaitEvent(stream_, event.get(), 0), "waiting for an event");
}

Event::Event(bool timed) {
  require_success(cudaEventCreateWithFlags(&event_, timed ? cudaEventDefault : cudaEventDisableTiming),
                  "making an event");
}

Event::~Event() {
  cudaEventDestroy(event_);
}

void Event::record(const Stream& stream) {
  require_success(cudaEventRecord(event_, stream.get()), "recording an event");
}

bool Event::happened() const {
  return done(cudaEventQuery(event_), std::source_location::current());
}

void Event::wait(const GpuDevice& device, std::chrono::steady_clock::time_point deadline,
                 const jobs::Progress& progress) const {
  poll([this] { return happened(); }, device, deadline, progress);
}

double Event::milliseconds(const Event& begin, const Event& end) {
  float milliseconds = 0;
  require_success(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "timing work on the device");
  return milliseconds;
}

}  // namespace isolume::gpu
