#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <type_traits>

#include "core/jobs/progress.h"
#include "gpu/runtime/streams/stream.h"

/// Large copies from and to ordinary (pageable) host memory: they pass in chunks through pinned memory, and
/// the processor copies one chunk while the next is transferred. This reaches the bus's speed with little
/// memory and without blocking in the driver. Also copies between devices.
namespace isolume::gpu {

struct TransferOptions {
  std::size_t chunk_bytes = std::size_t{4} << 20;
  std::size_t chunks = 3;  ///< in pinned memory at once; at least 2
};

/// These start after the work queued on `stream`, and return when the last byte has arrived. They throw
/// Cancelled between chunks (the only use of `progress`), dispatch::DeviceLost past the deadline,
/// ResourceError if there is no pinned memory.
void download_bytes(const Stream& stream, const void* device, std::span<std::byte> host,
                    std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress,
                    const TransferOptions& options = {});
void upload_bytes(const Stream& stream, std::span<const std::byte> host, void* device,
                  std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress,
                  const TransferOptions& options = {});

template <class T>
requires std::is_trivially_copyable_v<T>
void download(const Stream& stream, const T* device, std::span<T> host,
              std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress,
              const TransferOptions& options = {}) {
  download_bytes(stream, device, std::as_writable_bytes(host), deadline, progress, options);
}
template <class T>
requires std::is_trivially_copyable_v<T>
void upload(const Stream& stream, std::span<const T> host, T* device,
            std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress,
            const TransferOptions& options = {}) {
  upload_bytes(stream, std::as_bytes(host), device, deadline, progress, options);
}

/// Lets `from` read and write the memory of `to` over the bus, if the machine supports it. If it returns
/// false, copies pass through the host.
bool enable_peer_access(const GpuDevice& from, const GpuDevice& to);

/// Queues a copy of `bytes` from memory of `from_stream`'s device to memory of `to_stream`'s, after the work
/// queued on both; later work of both comes after it. Directly over the bus if peer access was enabled, else
/// through the host.
void copy_between_devices(const Stream& to_stream, void* to, const Stream& from_stream, const void* from,
                          std::size_t bytes);

}  // namespace isolume::gpu
