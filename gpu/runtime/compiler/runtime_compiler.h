#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/runtime/compiler/kernel_cache.h"
#include "gpu/runtime/streams/stream.h"

/// Kernels compiled at run time: by NVRTC, which is loaded on first use, or, emulated, by the host's
/// compiler. Throws Error with the reason if there is no compiler; callers then use a precompiled kernel, and
/// report this.
namespace isolume::gpu {

/// CUDA C++ without any #include. Kernels are `extern "C" __global__ void name(...)`.
struct KernelSource {
  std::string name;  ///< for messages: "benzene.cu"
  std::string code;
  /// Options of NVRTC besides architecture and language: "--use_fast_math". Emulated, only "-D..." has an
  /// effect.
  std::vector<std::string> options = {};
};

/// The target of the code.
struct CompileTarget {
  int compute_major = 0;
  int compute_minor = 0;
};
CompileTarget target_of(const GpuDevice& device);

/// Machine code.
struct CompiledImage {
  std::string code;
  std::string log;  ///< the compiler's messages; empty from the cache
  bool from_cache = false;
};

/// The image from the cache, or compiled and cached; a cache that cannot be written is a line in the log, not
/// an error. Throws Error with the compiler's messages if the source is wrong or the compiler missing.
CompiledImage compile(const KernelSource& source, const CompileTarget& target,
                      const KernelCache& cache = KernelCache());

template <class Signature>
class CompiledKernel;

/// An image loaded on one device. Cheap to copy: copies share it. Must outlive the work it has queued.
class KernelModule {
 public:
  /// Throws Error if the driver refuses the image.
  KernelModule(const GpuDevice& device, const CompiledImage& image);

  /// The kernel of that name; `Signature` is its type, void(float*, int), which is not checked. Throws Error
  /// if there is none.
  template <class Signature>
  CompiledKernel<Signature> kernel(const std::string& name) const {
    return {*this, find_kernel(name)};
  }

 private:
  template <class>
  friend class CompiledKernel;
  struct Loaded;
  void* find_kernel(const std::string& name) const;
#ifndef ISOLUME_GPU_EMULATED
  void launch(void* kernel, dim3 grid, dim3 block, std::size_t shared_bytes, const Stream& stream,
              void** arguments) const;
#endif

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
#ifdef ISOLUME_GPU_EMULATED
    stream.make_current();
    const auto kernel = reinterpret_cast<void (*)(Parameters...)>(kernel_);
    require_success(cudaLaunchKernel(kernel, grid, block, addresses, shared_bytes, stream.get()),
                    "launching a compiled kernel");
#else
    module_.launch(kernel_, grid, block, shared_bytes, stream, addresses);
#endif
  }

 private:
  KernelModule module_;
  void* kernel_;
};

/// Queues `kernel(args...)` on a stream of the module's device, like `launch` of launch.h.
template <class... Parameters, class... Args>
requires(sizeof...(Parameters) ==
         sizeof...(Args)) void launch(const CompiledKernel<void(Parameters...)>& kernel, dim3 grid,
                                      dim3 block, std::size_t shared_bytes, const Stream& stream,
                                      Args&&... args) {
  kernel.launch(grid, block, shared_bytes, stream, std::forward<Args>(args)...);
}

}  // namespace isolume::gpu
