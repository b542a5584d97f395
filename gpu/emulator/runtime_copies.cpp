/// CUDA's calls that copy and set memory, on the emulated machine.

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "gpu/emulator/call.h"
#include "gpu/emulator/copy.h"
#include "gpu/emulator/graphs.h"
#include "gpu/emulator/memory.h"
#include "gpu/emulator/thread_locals.h"

namespace isolume::gpu::emulator {
namespace {

cudaError_t queue_copy(Copy copy, cudaStream_t handle, bool wait) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return cudaSuccess;
  if (const std::string why = why_not(copy); !why.empty()) return report(cudaErrorInvalidValue, why);
  if (wait || is_pageable(copy.to) || is_pageable(copy.from)) {
    if (const auto refused = refuse_while_capturing("a copy that waits"); refused != cudaSuccess)
      return refused;
  }
  wait = wait || is_pageable(copy.to);
  auto staged = std::make_shared<StagedCopy>(std::move(copy));
  CUstream_st::Operation operation;
  operation.run = [staged](Processor&) { return staged->run(); };
  const std::uint64_t number = call.all.queue(*stream, std::move(operation));
  return wait ? call.wait(stream, number) : cudaSuccess;
}

Copy rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
          std::size_t height, cudaMemcpyKind kind) {
  return {.to = static_cast<std::byte*>(to),
          .from = static_cast<const std::byte*>(from),
          .to_pitch = to_pitch,
          .from_pitch = from_pitch,
          .width = width,
          .height = height,
          .kind = kind};
}
Copy line(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return rows(to, bytes, from, bytes, bytes, 1, kind);
}
Copy box(const cudaMemcpy3DParms& p) {
  Copy copy = rows(nullptr, p.dstPtr.pitch, nullptr, p.srcPtr.pitch, p.extent.width, p.extent.height, p.kind);
  copy.depth = p.extent.depth;
  copy.to_slice = p.dstPtr.pitch * p.dstPtr.ysize;
  copy.from_slice = p.srcPtr.pitch * p.srcPtr.ysize;
  copy.to = static_cast<std::byte*>(p.dstPtr.ptr) + p.dstPos.x + p.dstPos.y * copy.to_pitch +
            p.dstPos.z * copy.to_slice;
  copy.from = static_cast<const std::byte*>(p.srcPtr.ptr) + p.srcPos.x + p.srcPos.y * copy.from_pitch +
              p.srcPos.z * copy.from_slice;
  return copy;
}

cudaError_t queue_set(void* to, int value, std::size_t bytes, cudaStream_t handle, bool wait) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (bytes == 0) return cudaSuccess;
  if (const std::string why = why_not_set(to, bytes); !why.empty()) return report(cudaErrorInvalidValue, why);
  CUstream_st::Operation operation;
  operation.run = [=](Processor&) { return set(to, value, bytes); };
  const std::uint64_t number = call.all.queue(*stream, std::move(operation));
  return wait ? call.wait(stream, number) : cudaSuccess;
}

}  // namespace

// Constant memory.

namespace {

/// The position of a thread_local variable of the calling thread, from which another thread finds its own
/// copy.
cudaError_t queue_symbol_copy(const void* symbol, std::size_t symbol_bytes, std::size_t offset, std::byte* to,
                              const std::byte* from, std::size_t bytes, cudaMemcpyKind kind,
                              cudaStream_t handle, bool wait) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (offset > symbol_bytes || bytes > symbol_bytes - offset) {
    return report(cudaErrorInvalidValue, fmt::format("a copy of {} bytes at byte {} of a symbol of {} bytes",
                                                     bytes, offset, symbol_bytes));
  }
  const auto place = find_thread_local(symbol);
  if (!place) return report(cudaErrorInvalidSymbol, "the symbol is not declared __constant__");
  if (const auto refused = refuse_on_capturing(*stream, "a copy of a symbol"); refused != cudaSuccess)
    return refused;
  Copy copy = line(to, from, bytes, kind);
  wait = wait || (to != nullptr && is_pageable(to));
  auto staged = std::make_shared<StagedCopy>(copy);
  CUstream_st::Operation operation;
  operation.run = [staged, place = *place, offset, bytes, to_symbol = to == nullptr](Processor& processor) {
    std::byte* const mine = static_cast<std::byte*>(thread_local_address(place)) + offset;
    processor.mark_constant(mine, bytes);
    return to_symbol ? staged->run_to(mine) : staged->run_from(mine);
  };
  const std::uint64_t number = call.all.queue(*stream, std::move(operation));
  return wait ? call.wait(stream, number) : cudaSuccess;
}

}  // namespace

cudaError_t copy_to_symbol(const void* symbol, std::size_t symbol_bytes, const void* from, std::size_t bytes,
                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  return queue_symbol_copy(symbol, symbol_bytes, offset, nullptr, static_cast<const std::byte*>(from), bytes,
                           kind, stream, wait);
}
cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t symbol_bytes, std::size_t bytes,
                             std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  return queue_symbol_copy(symbol, symbol_bytes, offset, static_cast<std::byte*>(to), nullptr, bytes, kind,
                           stream, wait);
}

}  // namespace isolume::gpu::emulator

using namespace isolume::gpu::emulator;

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return queue_copy(line(to, from, bytes, kind), nullptr, true);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return queue_copy(line(to, from, bytes, kind), stream, false);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return queue_copy(rows(to, to_pitch, from, from_pitch, width, height, kind), nullptr, true);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return queue_copy(rows(to, to_pitch, from, from_pitch, width, height, kind), stream, false);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return queue_copy(box(*parameters), nullptr, true);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return queue_copy(box(*parameters), stream, false);
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return queue_copy(line(to, from, bytes, cudaMemcpyDeviceToDevice), nullptr, true);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  return queue_copy(line(to, from, bytes, cudaMemcpyDeviceToDevice), stream, false);
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return queue_set(to, value, bytes, nullptr, false);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return queue_set(to, value, bytes, stream, false);
}
