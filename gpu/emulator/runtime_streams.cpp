/// CUDA's calls about streams and events, on the emulated machine.

#include <algorithm>
#include <string>
#include <utility>

#include "gpu/emulator/call.h"
#include "gpu/emulator/graphs.h"
#include "gpu/emulator/host_work.h"
#include "gpu/emulator/memory.h"
#include "gpu/emulator/suballocation.h"

using namespace isolume::gpu::emulator;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = nullptr;
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  auto made = std::make_unique<CUstream_st>();
  made->device = current_device;
  made->blocking = (flags & cudaStreamNonBlocking) == 0;
  *stream = made.get();
  call.all.streams.insert(made.get());
  call.device().streams.push_back(std::move(made));
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  if (!call.all.streams.contains(stream) || stream->closing) return report(cudaErrorInvalidResourceHandle);
  stream->closing = true;
  Device& device = call.device(stream->device);
  if (!stream->operations.empty()) {
    call.all.want(*stream, stream->operations.back().number);
    return cudaSuccess;  // deleted with the last of its operations
  }
  call.all.forget(device, *stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  Call call;
  if (handle == nullptr && call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (const auto refused = refuse_on_capturing(*stream, "cudaStreamSynchronize"); refused != cudaSuccess)
    return refused;
  return stream->operations.empty() ? Call::failure_of(call.device(stream->device))
                                    : call.wait(stream, stream->operations.back().number);
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  Call call;
  if (handle == nullptr && call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (const auto refused = refuse_on_capturing(*stream, "cudaStreamQuery"); refused != cudaSuccess)
    return refused;
  if (stream->operations.empty()) return cudaSuccess;
  call.all.want(*stream,
                stream->operations.front().number);  // so that polling makes progress
  return report(cudaErrorNotReady);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  Call call;
  if (handle == nullptr && call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (const auto refused = refuse_on_capturing(*stream, "cudaStreamWaitEvent"); refused != cudaSuccess)
    return refused;
  if (!call.all.events.contains(event)) return report(cudaErrorInvalidResourceHandle);
  if (!event->mark || event->mark->done) return cudaSuccess;
  CUstream_st::Operation operation;
  operation.waits_for = event->mark;
  call.all.queue(*stream, std::move(operation));
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return isolume::gpu::emulator::launch_host_work(handle, [=] { function(data); });
}
cudaError_t isolume::gpu::emulator::launch_host_work(cudaStream_t handle, std::function<void()> work) {
  Call call;
  if (handle == nullptr && call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  CUstream_st::Operation operation;
  operation.run = [work = std::move(work)](Processor&) -> std::optional<Failure> {
    work();
    return {};
  };
  call.all.queue(*stream, std::move(operation));
  return cudaSuccess;
}
void isolume::gpu::emulator::limit_use(void* address, std::size_t bytes, cudaStream_t handle) {
  Call call;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return;  // a broken device: nothing runs on it any more
  CUstream_st::Operation operation;
  operation.run = [=](Processor&) -> std::optional<Failure> {
    memory::limit_use(address, bytes);
    return {};
  };
  call.all.queue(*stream, std::move(operation));
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = nullptr;
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  *event = new CUevent_st{current_device, (flags & cudaEventDisableTiming) == 0, nullptr};
  call.all.events.insert(*event);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  Machine& all = machine();
  const Machine::Lock lock(all.mutex);
  if (all.events.erase(event) == 0) return report(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  Call call;
  if (handle == nullptr && call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (const auto refused = refuse_on_capturing(*stream, "cudaEventRecord"); refused != cudaSuccess)
    return refused;
  if (!call.all.events.contains(event)) return report(cudaErrorInvalidResourceHandle);
  if (event->device != stream->device) {
    return report(cudaErrorInvalidResourceHandle,
                  fmt::format("an event of device {} is recorded on a stream of device {}", event->device,
                              stream->device));
  }
  event->mark = std::make_shared<Mark>();
  CUstream_st::Operation operation;
  operation.reaches = event->mark;
  call.all.queue(*stream, std::move(operation));
  return cudaSuccess;
}

namespace {
/// The failure of the device on which an event was recorded.
cudaError_t failure_of(Call& call, const Mark& mark) {
  return mark.device < static_cast<int>(call.all.devices.size()) ? Call::failure_of(call.device(mark.device))
                                                                 : cudaSuccess;
}
}  // namespace

cudaError_t cudaEventQuery(cudaEvent_t event) {
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  if (const auto refused = refuse_while_capturing("cudaEventQuery"); refused != cudaSuccess) return refused;
  if (!call.all.events.contains(event)) return report(cudaErrorInvalidResourceHandle);
  const auto mark = event->mark;
  if (!mark) return cudaSuccess;
  if (mark->done) return failure_of(call, *mark);
  if (mark->stream != nullptr) call.all.want(*mark->stream, mark->stream->operations.front().number);
  return report(cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  if (const auto refused = refuse_while_capturing("cudaEventSynchronize"); refused != cudaSuccess)
    return refused;
  if (!call.all.events.contains(event)) return report(cudaErrorInvalidResourceHandle);
  const auto mark = event->mark;
  if (!mark) return cudaSuccess;
  if (!mark->done && mark->stream != nullptr) call.all.want(*mark->stream, mark->number);
  call.all.changed.wait(call.lock, [&] { return mark->done; });
  return failure_of(call, *mark);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  for (CUevent_st* const event : {begin, end}) {
    if (!call.all.events.contains(event) || !event->timed || !event->mark)
      return report(cudaErrorInvalidResourceHandle);
    if (!event->mark->done) return report(cudaErrorNotReady);
  }
  if (begin->device != end->device)
    return report(cudaErrorInvalidResourceHandle, "the events are of two devices, whose clocks differ");
  *milliseconds = std::chrono::duration<float, std::milli>(end->mark->when - begin->mark->when).count();
  return cudaSuccess;
}
