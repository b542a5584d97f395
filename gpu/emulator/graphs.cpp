/// CUDA's calls on graphs: see graphs.h.

#include "gpu/emulator/graphs.h"

#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gpu/emulator/errors.h"

struct CUgraph_st {
  int device = 0;
  std::vector<Capture::Node> nodes;
};
struct CUgraphExec_st : CUgraph_st {};

namespace isolume::gpu::emulator {
namespace {

/// Existing handles; protected by the machine's lock. Never destroyed, like the machine.
template <class Handle>
std::set<Handle>& living() {
  static auto* const handles = new std::set<Handle>;
  return *handles;
}

/// The calling thread's last capture; expires when it has ended.
thread_local std::weak_ptr<Capture> own_capture;

cudaError_t spoil(Capture& capture, const char* call) {
  capture.spoilt = true;
  return report(cudaErrorStreamCaptureUnsupported, fmt::format("{} while a stream is being captured", call));
}

/// An existing stream on a working device; else null and the error.
CUstream_st* find_stream(Machine& all, cudaStream_t handle, cudaError_t& refused) {
  if (handle == nullptr) {
    refused = report(cudaErrorStreamCaptureUnsupported, "the default stream cannot be captured");
  } else if (!all.streams.contains(handle) || handle->closing) {
    refused = report(cudaErrorInvalidResourceHandle, "the stream does not exist (any more)");
  } else if (const auto& failure = all.devices[static_cast<std::size_t>(handle->device)]->failure) {
    refused = report(failure->code, failure->text);
  } else {
    return handle;
  }
  return nullptr;
}

template <class Handle>
cudaError_t destroy(Handle handle) {
  Machine& all = machine();
  const Machine::Lock lock(all.mutex);
  if (living<Handle>().erase(handle) == 0) return report(cudaErrorInvalidValue, "there is no such graph");
  delete handle;
  return cudaSuccess;
}

}  // namespace

cudaError_t refuse_on_capturing(CUstream_st& stream, const char* call) {
  return stream.capture == nullptr ? cudaSuccess : spoil(*stream.capture, call);
}

cudaError_t refuse_while_capturing(const char* call) {
  const auto capture = own_capture.lock();
  return capture == nullptr || capture->relaxed ? cudaSuccess : spoil(*capture, call);
}

}  // namespace isolume::gpu::emulator

using namespace isolume::gpu::emulator;

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  Machine& all = machine();
  const Machine::Lock lock(all.mutex);
  cudaError_t refused = cudaSuccess;
  CUstream_st* const stream = find_stream(all, handle, refused);
  if (stream == nullptr) return refused;
  if (stream->capture != nullptr)
    return report(cudaErrorIllegalState, "the stream is being captured already");
  stream->capture = std::make_shared<Capture>(
      Capture{std::this_thread::get_id(), mode == cudaStreamCaptureModeRelaxed, false, {}});
  own_capture = stream->capture;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  *graph = nullptr;
  Machine& all = machine();
  const Machine::Lock lock(all.mutex);
  cudaError_t refused = cudaSuccess;
  CUstream_st* const stream = find_stream(all, handle, refused);
  if (stream == nullptr) return refused;
  if (stream->capture == nullptr) return report(cudaErrorIllegalState, "the stream is not being captured");
  if (!stream->capture->relaxed && stream->capture->by != std::this_thread::get_id())
    return report(cudaErrorStreamCaptureWrongThread);
  const auto capture = std::exchange(stream->capture, nullptr);
  if (capture->spoilt) return report(cudaErrorStreamCaptureInvalidated);
  auto made = std::make_unique<CUgraph_st>(CUgraph_st{stream->device, std::move(capture->nodes)});
  living<cudaGraph_t>().insert(made.get());
  *graph = made.release();
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  Machine& all = machine();
  const Machine::Lock lock(all.mutex);
  *status = cudaStreamCaptureStatusNone;
  if (handle == nullptr) return cudaSuccess;
  cudaError_t refused = cudaSuccess;
  const CUstream_st* const stream = find_stream(all, handle, refused);
  if (stream == nullptr) return refused;
  if (stream->capture != nullptr) {
    *status = stream->capture->spoilt ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  }
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = nullptr;
  Machine& all = machine();
  const Machine::Lock lock(all.mutex);
  if (!living<cudaGraph_t>().contains(graph)) return report(cudaErrorInvalidValue, "there is no such graph");
  auto made = std::make_unique<CUgraphExec_st>(CUgraphExec_st{*graph});
  living<cudaGraphExec_t>().insert(made.get());
  *executable = made.release();
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  Machine& all = machine();
  const Machine::Lock lock(all.mutex);
  cudaError_t refused = cudaSuccess;
  CUstream_st* const stream = find_stream(all, handle, refused);
  if (stream == nullptr) return refused;
  if (const auto status = refuse_on_capturing(*stream, "cudaGraphLaunch"); status != cudaSuccess)
    return status;
  if (!living<cudaGraphExec_t>().contains(executable))
    return report(cudaErrorInvalidValue, "there is no such graph");
  if (executable->device != stream->device)
    return report(cudaErrorInvalidValue, "the emulator launches a graph on the device it was captured on");
  Device& device = *all.devices[static_cast<std::size_t>(stream->device)];
  for (const auto& node : executable->nodes) all.queue(*stream, node(device));
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return destroy(graph);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return destroy(executable);
}
