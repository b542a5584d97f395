#include "gpu/runtime/streams/stream.h"

#include <algorithm>
#include <optional>
#include <thread>

#include <sys/prctl.h>

#include "core/dispatch/dispatch.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/allocator.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {

namespace {

/// Evaluates a query. The answer "not yet" remains as CUDA's last error, and code that checks it after its
/// launches, such as CUB's, would take it for its own.
bool done(cudaError_t status, std::source_location where) {
  if (status == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  require_success(status, "work on the device", where);
  return true;
}

/// While it lives, the calling thread's sleeps end on time: by default Linux lets them last 50 us longer, to
/// wake several threads at once.
class PunctualSleep {
 public:
  PunctualSleep() : before_ns_(prctl(PR_GET_TIMERSLACK)) { prctl(PR_SET_TIMERSLACK, 1000UL); }
  ~PunctualSleep() {
    if (before_ns_ > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before_ns_));
  }
  PunctualSleep(const PunctualSleep&) = delete;
  PunctualSleep& operator=(const PunctualSleep&) = delete;

 private:
  int before_ns_;
};

/// Polls `finished`. Most waits are for about ten microseconds of work, a batch of passes or a small field:
/// polling without a pause detects their end at once. (Yielding instead would leave the core to others for a
/// whole time slice, milliseconds on a busy machine, whereas a thread that wakes from a sleep has priority.)
/// The end of longer work may be detected a little later: pauses of an eighth of the time waited so far
/// lengthen a wait by at most that, by half as much on average, with about sixty polls in the first ten
/// milliseconds. No pause is longer than 200 us, so that a cancellation is noticed well within a millisecond.
template <class Finished>
void poll(const Finished& finished, const GpuDevice& device, std::chrono::steady_clock::time_point deadline,
          const jobs::Progress& progress) {
  constexpr std::chrono::steady_clock::duration without_pause = std::chrono::microseconds(50);
  constexpr std::chrono::steady_clock::duration longest_pause = std::chrono::microseconds(200);
  const auto start = std::chrono::steady_clock::now();
  std::optional<PunctualSleep> punctual;
  while (!finished()) {
    progress.check();
    const auto now = std::chrono::steady_clock::now();
    if (now > deadline) {
      device.give_up();
      throw dispatch::DeviceLost(device.name() +
                                 " did not finish its work in time. It is given up; start the "
                                 "program again to use it.");
    }
    if (now - start < without_pause) continue;
    if (!punctual) punctual.emplace();
    std::this_thread::sleep_for(std::min((now - start) / 8, longest_pause));
  }
}

}  // namespace

Stream::Stream(const GpuDevice& device, Urgency urgency) : device_(&device) {
  device.make_current();
  int last = 0, first = 0;
  require_success(cudaDeviceGetStreamPriorityRange(&last, &first), "asking for the priorities of streams");
  require_success(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                               urgency == Urgency::drawing ? first : last),
                  "making a stream");
  try {
    allocator_stream_ = device.allocator().register_stream(stream_);
  } catch (...) {
    cudaStreamDestroy(stream_);
    throw;
  }
}

Stream::~Stream() {
  device_->allocator().unregister_stream(*allocator_stream_);
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

void Stream::wait(const WaitLimits& limits, std::source_location where) const {
  wait(from_now(limits.deadline), limits.progress, where);
}

void Stream::uses_memory_of(const Stream& owner) const {
  device_->allocator().allow_use(*owner.allocator_stream_, allocator_stream_);
}

void Stream::wait_for(const Event& event) const {
  require_success(cudaStreamWaitEvent(stream_, event.get(), 0), "waiting for an event");
}

Event::Event(const GpuDevice& device, bool timed) : device_(&device) {
  device.make_current();
  require_success(cudaEventCreateWithFlags(&event_, timed ? cudaEventDefault : cudaEventDisableTiming),
                  "making an event");
}

Event::~Event() {
  cudaEventDestroy(event_);
}

void Event::record(const Stream& stream) {
  require_success(cudaEventRecord(event_, stream.get()), "recording an event");
}

bool Event::completed() const {
  return done(cudaEventQuery(event_), std::source_location::current());
}

void Event::wait(std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress) const {
  poll([this] { return completed(); }, *device_, deadline, progress);
}

double Event::milliseconds(const Event& begin, const Event& end) {
  float milliseconds = 0;
  require_success(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "timing work on the device");
  return milliseconds;
}

}  // namespace isolume::gpu
