#pragma once

#include "core/dispatch/tile_plan.h"
#include "gpu/runtime/multi_device/multi_device_run.h"

namespace isolume::gpu {

/// How an engine divides its jobs.
struct EngineSettings {
  MultiDeviceRun::Settings run;
  dispatch::PlanRules rules;
};

/// Settings for sums over pairs, whose tiles must be long to fill a large GPU. The emulator has longer times;
/// ISOLUME_GPU_DEADLINE in seconds overrides the deadline. Throws Error for a text that is not a number of
/// seconds.
EngineSettings default_engine_settings();

}  // namespace isolume::gpu
