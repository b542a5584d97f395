#pragma once

#include <cstddef>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "gpu/runtime/memory/memory.h"
#include "gpu/runtime/streams/stream.h"

namespace isolume::gpu {

/// Owns `size` values of T in one memory space, not initialised. Movable. The space is part of the type:
/// device memory offers no access from the host.
template <class T, MemorySpace space>
requires std::is_trivially_copyable_v<T>
class Buffer {
 public:
  Buffer() = default;
  /// Allocated by the allocator of the stream's device; freed, in the order of this stream, when the buffer
  /// is destroyed. Throws ResourceError if the device's budget does not allow it.
  Buffer(const Stream& stream, std::size_t size)
      : block_(allocate_memory(stream, space, size * sizeof(T))), size_(size) {}
  ~Buffer() { free_memory(block_); }
  Buffer(Buffer&& other) noexcept
      : block_(std::exchange(other.block_, {})), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(size_, other.size_);
    return *this;
  }

  std::size_t size() const { return size_; }
  /// Address for kernels. Pinned memory has none: copy it, or use mapped memory.
  T* device_data() const requires(space != MemorySpace::pinned) { return static_cast<T*>(block_.device); }
  std::span<T> host() const requires(space != MemorySpace::device) {
    return {static_cast<T*>(block_.host), size_};
  }

  /// Both queue the copy; the host's memory must live until the stream has been waited for. Pageable host
  /// memory makes the copy slow and synchronous: use upload() and download() of transfer.h for large copies.
  void copy_from(std::span<const T> host, const Stream& stream,
                 std::source_location where = std::source_location::current()) requires(space ==
                                                                                        MemorySpace::device) {
    require_room(host.size());
    require_success(
        cudaMemcpyAsync(block_.device, host.data(), host.size_bytes(), cudaMemcpyHostToDevice, stream.get()),
        "copying to the device", where);
  }
  void copy_to(std::span<T> host, const Stream& stream,
               std::source_location where = std::source_location::current()) const
      requires(space == MemorySpace::device) {
    require_room(host.size());
    require_success(
        cudaMemcpyAsync(host.data(), block_.device, host.size_bytes(), cudaMemcpyDeviceToHost, stream.get()),
        "copying from the device", where);
  }

 private:
  void require_room(std::size_t count) const {
    if (count > size_)
      throw Error("GPU: a copy of " + std::to_string(count) + " values into " + std::to_string(size_) + ".");
  }

  MemoryBlock block_;
  std::size_t size_ = 0;
};

template <class T>
using DeviceBuffer = Buffer<T, MemorySpace::device>;
/// Allocates device memory and queues a copy of `host` into it; see Buffer::copy_from.
template <class T>
DeviceBuffer<T> device_copy(const std::vector<T>& host, const Stream& stream) {
  DeviceBuffer<T> buffer(stream, host.size());
  if (!host.empty()) buffer.copy_from({host.data(), host.size()}, stream);
  return buffer;
}
/// Host memory for asynchronous copies at full speed.
template <class T>
using PinnedBuffer = Buffer<T, MemorySpace::pinned>;
/// Host memory that kernels write through the bus.
template <class T>
using MappedBuffer = Buffer<T, MemorySpace::mapped>;

}  // namespace isolume::gpu
