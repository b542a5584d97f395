#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace isolume::gpu {

class GpuDevice;

/// One GPU of this machine, as the Devices dock and `isolume-batch devices` show it.
struct DeviceDescription {
  int index = 0;     ///< the CUDA runtime's number
  std::string name;  ///< "NVIDIA GeForce RTX 4090"
  std::size_t memory_bytes = 0;
  int compute_major = 0;  ///< compute capability, e.g. 8.9
  int compute_minor = 0;
  int multiprocessors = 0;
  std::size_t shared_bytes_per_block = 0;        ///< without opting in
  std::size_t shared_bytes_per_block_optin = 0;  ///< with cudaFuncAttributeMaxDynamicSharedMemorySize
  std::size_t constant_bytes = 0;
  std::size_t l2_bytes = 0;
  double clock_hertz = 0;
  double memory_bytes_per_second = 0;  ///< peak, from clock and bus width; 0 if unknown
  int copy_engines = 0;                ///< 2: both directions at once
  bool integrated = false;             ///< shares the host's memory
  std::string code = {};               ///< what it runs: "machine code sm_90"; empty if not usable
  bool usable = false;
  std::string unusable_because;  ///< a sentence; empty if usable
};

/// Every GPU that the CUDA runtime finds, usable or not. Never throws for a missing driver or device; takes
/// up to a second if the driver has to wake up.
std::vector<DeviceDescription> describe_devices();

/// Why there is no GPU, as a sentence for users ("Built without CUDA.", "No NVIDIA driver was found."); empty
/// if `describe_devices` returns at least one.
std::string why_no_devices();

/// Allocates, copies, launches a small kernel and checks its result on one device. Returns an empty text on
/// success, else a sentence. A device that does not respond within the deadline is given up.
std::string check_device(const GpuDevice& device,
                         std::chrono::duration<double> deadline = std::chrono::seconds(10));

}  // namespace isolume::gpu
