#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace isolume::gpu {

/// Kernels in the program that a GPU can run.
struct DeviceCode {
  int architecture = 0;     ///< 90 for compute capability 9.0
  bool translated = false;  ///< PTX, which the driver compiles when it is first used
  std::string text()
      const;  ///< for people: "machine code sm_90", "PTX compute_90, which the driver compiles"
};

/// What a GPU of this compute capability runs of the code for `architectures`, a list as in CMake's CUDA_ARCHITECTURES
/// with any separator, such as "75-real,90": machine code serves its own major version, from its minor version on, and
/// PTX serves every later capability; code for one architecture alone (90a) serves no other. Machine code goes first.
std::optional<DeviceCode> code_for(std::string_view architectures, int major, int minor);

/// What the program was compiled for.
std::string_view compiled_architectures();

}  // namespace isolume::gpu
