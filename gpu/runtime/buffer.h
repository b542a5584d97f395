#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "core/base/error.h"
#include "gpu/runtime/stream.h"

namespace isolume::gpu {

/// `size` values of T in the memory of the device that was current when it was made. Owns them; not
/// initialised.
template <class T>
requires std::is_trivially_copyable_v<T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : size_(size) {
    require_success(cudaMalloc(&data_, size * sizeof(T)), "reserving " + format_bytes(size * sizeof(T)));
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// Both queue the copy; the host's memory must live until the stream has been waited for.
  void copy_from(std::span<const T> host, const Stream& stream) {
    require_room(host.size());
    require_success(
        cudaMemcpyAsync(data_, host.data(), host.size_bytes(), cudaMemcpyHostToDevice, stream.get()),
        "copying to the device");
  }
  void copy_to(std::span<T> host, const Stream& stream) const {
    require_room(host.size());
    require_success(
        cudaMemcpyAsync(host.data(), data_, host.size_bytes(), cudaMemcpyDeviceToHost, stream.get()),
        "copying from the device");
  }

 private:
  void require_room(std::size_t count) const {
    if (count > size_)
      throw Error("GPU: a copy of " + std::to_string(count) + " values into " + std::to_string(size_) + ".");
  }

  T* data_ = nullptr;
  std::size_t size_;
};

}  // namespace isolume::gpu
