#pragma once

#include <chrono>
#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/livewire/engine.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {

/// Shortest paths on a GPU of the pool: "cuda", or "emulated". A search computes all distances of its region
/// at once, on first use, on one device: the first that the options name, or the pool's first. Kernels:
/// "tiles", which "auto" takes, and "delta-stepping"; SearchOptions::delta is the range of distances on which
/// either works at once. The grid's costs stay on the device as long as the grid exists. All kernels and
/// devices give the distances of the reference, bit for bit.
///
/// `deadline`: a device that does not finish a batch of passes within it is set aside.
std::unique_ptr<livewire::Engine> make_livewire_engine(
    std::shared_ptr<dispatch::DevicePool> pool, std::chrono::duration<double> deadline = default_deadline());

}  // namespace isolume::gpu
