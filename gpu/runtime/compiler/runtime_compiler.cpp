#include "gpu/runtime/compiler/runtime_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/logging.h"
#include "gpu/runtime/compiler/compiler_backend.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {
namespace {

std::string cache_key(const KernelSource& source, const CompileTarget& target) {
  return fmt::format("{}; architecture {}.{}; options {}\n{}\n", compiler_backend::identity(),
                     target.compute_major, target.compute_minor, fmt::join(source.options, " "), source.code);
}

}  // namespace

CompileTarget target_of(const GpuDevice& device) {
  return {device.description().compute_major, device.description().compute_minor};
}

CompiledImage compile(const KernelSource& source, const CompileTarget& target, const KernelCache& cache) {
  const std::string key = cache_key(source, target);
  if (auto code = cache.find(key)) return {std::move(*code), {}, true};
  CompiledImage image = compiler_backend::compile(source, target);
  try {
    cache.store(key, image.code);
  } catch (const Error& error) {
    log::warning("{}", error.what());
  }
  return image;
}

}  // namespace isolume::gpu
