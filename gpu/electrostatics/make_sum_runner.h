#pragma once

#include <memory>
#include <utility>

#include "core/electrostatics/sums/pair_field.h"
#include "gpu/runtime/multi_device/sum_runner.h"

namespace isolume::gpu {

/// For sums on grids and at points, of charges or wavefunctions.
inline SumRunner make_sum_runner(std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings) {
  return {std::move(pool), settings,
          "Use a coarser spacing, a smaller box, other devices, or the engine \"cpu\".",
          electrostatics::layers_at_once};
}

}  // namespace isolume::gpu
