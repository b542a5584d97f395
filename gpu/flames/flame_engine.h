#pragma once

#include <chrono>
#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/flames/engine.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {

/// The chaos game on the GPUs of the pool: "cuda", or "emulated". A block plays a cloud, each warp one function in a
/// round; histograms of several devices are added. A tile's histogram counts once it is complete, so that a device that
/// fails loses only the tile that it has. Points differ from the CPU's by the rounding of elementary functions.
///
/// `clouds_per_tile`: 0 chooses by the number of clouds. `deadline`: a device that does not finish a tile within it is
/// set aside.
std::unique_ptr<flames::Engine> make_flame_engine(
    std::shared_ptr<dispatch::DevicePool> pool, std::int64_t clouds_per_tile = 0,
    std::chrono::duration<double> deadline = default_deadline());

}  // namespace isolume::gpu
