#pragma once

#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/dispatch/engine_registry.h"
#include "core/livewire/engine.h"
#include "core/orbitals/engine_registry.h"

/// All that the programs know of gpu/, besides the benchmarks (orbitals/kernel_benchmark.h,
/// runtime/device_benchmark.h, surfaces/surface_benchmark.h): no CUDA type appears here. A program calls
/// these once at start and hands the results on; built without CUDA, there are simply no GPUs in the pool.
namespace isolume::gpu {

/// The CPU, then every usable GPU of this machine; unusable ones are there too, set aside with their reason.
/// May take a second (the driver wakes up).
std::shared_ptr<dispatch::DevicePool> make_device_pool();

/// The engines of the pool's GPUs, best first, then the CPU's.
orbitals::EngineRegistry make_engines(const std::shared_ptr<dispatch::DevicePool>& pool);

/// Shortest paths: the CPU's lazy engine first, as the pointer needs it ("auto"), then its parallel one and
/// the GPUs'.
dispatch::EngineRegistry<livewire::Engine> make_livewire_engines(
    const std::shared_ptr<dispatch::DevicePool>& pool);

/// Tries one GPU of the pool with a small kernel. Empty when all is right, else a sentence.
std::string check_device(dispatch::Device& device);

}  // namespace isolume::gpu
