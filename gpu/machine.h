#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/dispatch/dispatch.h"

/// The machine's devices, without any CUDA type. A program calls make_device_pool once at start and hands the
/// pool to the functions that make engines, one in each gpu/<lab>/engines.h; built without CUDA, there are
/// simply no GPUs in it.
namespace isolume::gpu {

/// The CPU, then every usable GPU of this machine; unusable ones are there too, set aside with their reason.
/// May take a second (the driver wakes up).
std::shared_ptr<dispatch::DevicePool> make_device_pool();

/// Tries one GPU of the pool with a small kernel. Empty when all is right, else a sentence.
std::string check_device(dispatch::Device& device);

/// A part of the CUDA toolkit that some engines load when they need it.
struct ToolkitLibrary {
  std::string name;     ///< "cuFFT"
  std::string file;     ///< its whole path; empty if it is missing
  std::string missing;  ///< a sentence with the remedy; empty if it was found
};
/// Loads them; none in a program without CUDA.
std::vector<ToolkitLibrary> toolkit_libraries();

}  // namespace isolume::gpu
