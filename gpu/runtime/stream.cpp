#include "gpu/runtime/stream.h"

#include <thread>

#include "core/dispatch/dispatch.h"
#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {

Stream::Stream(const GpuDevice& device) : device_(&device) {
  device.make_current();
  require_success(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
}

Stream::~Stream() {
  cudaStreamDestroy(stream_);
}

void Stream::make_current() const {
  device_->make_current();
}

void Stream::wait() const {
  require_success(cudaStreamSynchronize(stream_), "work on the device");
}

void Stream::wait(std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress) const {
  while (true) {
    const cudaError_t status = cudaStreamQuery(stream_);
    if (status != cudaErrorNotReady) return require_success(status, "work on the device");
    progress.check();
    if (std::chrono::steady_clock::now() > deadline) {
      throw dispatch::DeviceLost(device_->name() + " did not finish its work in time.");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
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
  const cudaError_t status = cudaEventQuery(event_);
  if (status == cudaErrorNotReady) return false;
  require_success(status, "work on the device");
  return true;
}

double Event::milliseconds(const Event& begin, const Event& end) {
  float milliseconds = 0;
  require_success(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "timing work on the device");
  return milliseconds;
}

}  // namespace isolume::gpu
