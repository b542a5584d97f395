#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/runtime/kernel_cache.h"
#include "gpu/runtime/stream.h"

/// Kernels compiled while the program runs: by NVRTC, which is looked for when first needed, or, emulated, by
/// the host's compiler. Throws Error with the reason where there is no compiler; callers then use a kernel
/// that was compiled beforehand, and say so.
namespace isolume::gpu {

/// CUDA C++ without any #include. Kernels are `extern "C" __global__ void name(...)`; constant memory is
/// `extern "C" __constant__`.
struct KernelSource {
  std::string name;  ///< for messages: "benzene.cu"
  std::string code;
  std::vector<std::string> options = {};  ///< NVRTC's, beside architecture and language: "--use_fast_math"
};

/// What code is made for. Two values are equal when code for one runs on the other.
struct CompileTarget {
  int compute_major = 0;
  int compute_minor = 0;
};
CompileTarget target_of(const GpuDevice& device);

/// Machine code.
struct CompiledImage {
  std::string code;
  std::string log;  ///< the compiler's remarks; empty from the cache
  bool from_cache = false;
};

/// From the cache, or compiled and put there; a cache that cannot be written is a line in the log, no error.
/// Throws Error with the compiler's words when the source is wrong or the compiler missing.
CompiledImage compile(const KernelSource& source, const CompileTarget& target,
                      const KernelCache& cache = KernelCache());

template <class Signature>
class CompiledKernel;

/// An image loaded on one device, with constant memory of its own. Cheap to copy: copies share it.
class KernelModule {
 public:
  /// Throws Error when the driver refuses the image.
  KernelModule(const GpuDevice& device, const CompiledImage& image);

  /// The kernel of that name; `Signature` is its own, void(float*, int), which nothing checks. Throws Error
  /// when there is none.
  template <class Signature>
  CompiledKernel<Signature> kernel(const std::string& name) const {
    return {*this, find_kernel(name)};
  }
  /// Queues a copy into the __constant__ variable of that name; pageable memory is copied before it returns.
  /// Throws Error when there is none or it is smaller.
  void copy_to_constant(const std::string& name, std::span<const std::byte> values,
                        const Stream& stream) const;

 private:
  template <class>
  friend class CompiledKernel;
  struct Loaded;
  void* find_kernel(const std::string& name) const;
  void launch(void* kernel, dim3 grid, dim3 block, std::size_t shared_bytes, const Stream& stream,
              void** arguments) const;

  std::shared_ptr<const Loaded> loaded_;
};

/// A kernel of a module; keeps the module.
template <class... Parameters>
class CompiledKernel<void(Parameters...)> {
 public:
  CompiledKernel(KernelModule module, void* kernel) : module_(std::move(module)), kernel_(kernel) {}

  void launch(dim3 grid, dim3 block, std::size_t shared_bytes, const Stream& stream,
              Parameters... values) const {
    void* addresses[] = {static_cast<void*>(&values)..., nullptr};
    module_.launch(kernel_, grid, block, shared_bytes, stream, addresses);
  }

 private:
  KernelModule module_;
  void* kernel_;
};

/// Queues `kernel(args...)` on a stream of the module's device, as `launch` of launch.h.
template <class... Parameters, class... Args>
requires(sizeof...(Parameters) ==
         sizeof...(Args)) void launch(const CompiledKernel<void(Parameters...)>& kernel, dim3 grid,
                                      dim3 block, std::size_t shared_bytes, const Stream& stream,
                                      Args&&... args) {
  kernel.launch(grid, block, shared_bytes, stream, std::forward<Args>(args)...);
}

}  // namespace isolume::gpu
