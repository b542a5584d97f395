#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/calibration.h"
#include "core/dispatch/tile_plan.h"
#include "gpu/runtime/multi_device/chosen_devices.h"
#include "gpu/runtime/multi_device/engine_settings.h"
#include "gpu/runtime/multi_device/sum_job.h"

namespace isolume::gpu {

/// Distributes sums over the devices of a pool, and measures the speed of GPUs.
class SumRunner {
 public:
  /// `remedy`: a sentence for users whose job does not fit in memory. `host_granularity`: slabs on the host best
  /// begin at multiples of this many items.
  SumRunner(std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings, std::string remedy,
            int host_granularity = 1)
      : pool_(std::move(pool)),
        settings_(settings),
        remedy_(std::move(remedy)),
        host_granularity_(host_granularity) {}

  const dispatch::DevicePool& pool() const { return *pool_; }
  const std::shared_ptr<dispatch::DevicePool>& shared_pool() const { return pool_; }
  const EngineSettings& settings() const { return settings_; }

  /// Those of the devices that would share such work, by the job's kernel. Throws ResourceError if none has
  /// enough memory.
  std::vector<dispatch::Device*> taking_part(const ChosenDevices& chosen, const dispatch::TileWork& work,
                                             std::string_view kernel) const;

  using OnHost = std::function<void(Slab slab, const jobs::Progress& progress)>;
  /// Fills the job's fields. `on_host` computes the same items on the calling thread, directly into the
  /// fields: next to the GPUs if the CPU was named, otherwise if all GPUs have failed; needed if the CPU is among
  /// the devices. Throws ResourceError if no device has enough memory, Cancelled, and the exception of the last
  /// device if all have failed.
  dispatch::Report run(const SumJob& job, const std::vector<float*>& fields, const ChosenDevices& chosen,
                       const OnHost& on_host, const jobs::Progress& progress) const;

 private:
  dispatch::TileWork work_of(const SumJob& job) const;
  dispatch::TilePlan plan(const dispatch::TileWork& work, const std::vector<dispatch::DeviceFacts>& facts,
                          bool named) const;

  std::shared_ptr<dispatch::DevicePool> pool_;
  EngineSettings settings_;
  std::string remedy_;
  int host_granularity_;
  mutable dispatch::Calibration calibration_;
};

}  // namespace isolume::gpu
