// Replaces this library in programs built without CUDA.
#include "core/anatomy/fluid_calibration.h"
#include "gpu/anatomy/engines.h"

namespace isolume::gpu {

anatomy::FluidEngines make_fluid_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  anatomy::FluidEngines engines(pool);
  const auto calibration = std::make_shared<anatomy::FluidCalibration>(
      [](const dispatch::Device&, const anatomy::FluidParameters& parameters, int side) {
        return time_iteration(*anatomy::make_cpu_fluid_engine(), {}, parameters, side);
      });
  engines.add(anatomy::make_cpu_fluid_engine(calibration, pool->devices().front()));
  return engines;
}

}  // namespace isolume::gpu
