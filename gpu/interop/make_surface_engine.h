#pragma once

#include <memory>

#include "core/dispatch/dispatch.h"
#include "gpu/surfaces/surface_engine.h"

namespace isolume::gpu {

/// Null if the pool has no GPU: surfaces are then extracted on the CPU.
std::shared_ptr<SurfaceEngine> make_surface_engine(std::shared_ptr<dispatch::DevicePool> pool);

}  // namespace isolume::gpu
