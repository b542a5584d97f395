#pragma once

#include <memory>
#include <string>

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

}  // namespace isolume::gpu
