#pragma once

#include <string>

namespace isolume::gpu {

/// Names an interval of the calling thread's time in NVIDIA's profilers, from construction to destruction.
/// The cost without a profiler is negligible; without NVTX in the toolkit or with an emulated GPU it does
/// nothing.
class Range {
 public:
  explicit Range(const char* name);
  explicit Range(const std::string& name) : Range(name.c_str()) {}
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace isolume::gpu
