#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "gpu/emulator/devices.h"

namespace isolume::gpu::emulator {

/// Two devices; every test frees what it takes.
class EmulatorTest : public testing::Test {
 protected:
  void SetUp() override { use("2x sm90 64MiB"); }
  void TearDown() override { set_devices(""); }

  void use(const std::string& devices, StreamOrder order = StreamOrder::delayed) {
    set_devices(devices, {.streams = order});
    cudaSetDevice(0);
  }
};

/// Values on the current device, freed with this.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t size) : size_(size) {
    EXPECT_EQ(cudaMalloc(&data_, size * sizeof(T)), cudaSuccess);
  }
  explicit OnDevice(const std::vector<T>& values) : OnDevice(values.size()) {
    EXPECT_EQ(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* data() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> host(size_);
    EXPECT_EQ(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return host;
  }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

/// Runs a kernel and waits for it; what went wrong, in CUDA's and the emulator's words, or nothing.
template <class... Parameters, class... Arguments>
std::string run(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
                Arguments... arguments) {
  return [&](Parameters... values) -> std::string {
    void* addresses[] = {static_cast<void*>(&values)..., nullptr};
    cudaError_t status = cudaLaunchKernel(kernel, grid, block, addresses, shared_bytes);
    if (status == cudaSuccess) status = cudaDeviceSynchronize();
    return status == cudaSuccess ? "" : cudaGetErrorString(status);
  }(arguments...);
}

inline testing::AssertionResult says(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* const word : words) {
    if (text.find(word) == std::string::npos) {
      return testing::AssertionFailure() << "\"" << word << "\" is not in: " << text;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace isolume::gpu::emulator
