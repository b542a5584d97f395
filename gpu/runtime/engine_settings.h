#pragma once

#include "core/dispatch/tile_plan.h"
#include "gpu/runtime/multi_device_run.h"

namespace isolume::gpu {

/// How an engine shares out its jobs.
struct EngineSettings {
  MultiDeviceRun::Settings run;
  dispatch::PlanRules rules;
};

/// For sums over pairs, of which a tile must be long to fill a large GPU. Made longer for the emulator;
/// ISOLUME_GPU_DEADLINE in seconds overrides the deadline. Throws Error for a text that is no number of seconds.
EngineSettings default_engine_settings();

}  // namespace isolume::gpu
