#include "gpu/anatomy/engines.h"

#include <algorithm>

#include "core/anatomy/fluid_calibration.h"
#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "gpu/anatomy/fluid_engine.h"

namespace isolume::gpu {
namespace {

/// Seconds of an iteration; 0 for an emulated GPU, whose times mean nothing, and for a device that fails.
double time_on(const std::shared_ptr<dispatch::DevicePool>& pool, const dispatch::Device& device,
               const anatomy::FluidParameters& parameters, int side) {
  try {
    if (device.kind() == dispatch::DeviceKind::cpu)
      return time_iteration(*anatomy::make_cpu_fluid_engine(), {}, parameters, side);
    if (device.kind() == dispatch::DeviceKind::emulated_gpu) return 0;
    const auto number = std::ranges::find(pool->devices(), &device) - pool->devices().begin();
    return time_iteration(*make_gpu_fluid_engine(pool), {.devices = std::to_string(number)}, parameters,
                          side);
  } catch (const Error&) {
    return 0;  // the engine reports it when it computes
  }
}

}  // namespace

anatomy::FluidEngines make_fluid_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  anatomy::FluidEngines engines(pool);
  const auto calibration = std::make_shared<anatomy::FluidCalibration>(
      [pool](const dispatch::Device& device, const anatomy::FluidParameters& parameters, int side) {
        return time_on(pool, device, parameters, side);
      });
  if (!dispatch::usable_gpus(*pool).empty()) engines.add(make_gpu_fluid_engine(pool, calibration));
  engines.add(anatomy::make_cpu_fluid_engine(calibration, pool->devices().front()));
  return engines;
}

}  // namespace isolume::gpu
