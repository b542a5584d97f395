#pragma once

#include <string>

namespace isolume::gpu {

/// Names a stretch of the calling thread's time in NVIDIA's profilers, from construction to destruction.
/// Costs nothing worth mentioning without a profiler, and is nothing where the toolkit has no NVTX or the GPU
/// is emulated.
class Range {
 public:
  explicit Range(const char* name);
  explicit Range(const std::string& name) : Range(name.c_str()) {}
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace isolume::gpu
