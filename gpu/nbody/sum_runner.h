#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/dispatch/calibration.h"
#include "core/dispatch/tile_plan.h"
#include "gpu/nbody/gpu_solver.h"
#include "gpu/nbody/sum_job.h"

namespace isolume::gpu {

struct ChosenGpus {
  std::vector<dispatch::Device*> devices;
  bool named = false;  ///< the user named them: they are used at any cost
};

/// Distributes sums over the GPUs of a pool, and measures their speed.
class SumRunner {
 public:
  SumRunner(std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings)
      : pool_(std::move(pool)), settings_(settings) {}

  const dispatch::DevicePool& pool() const { return *pool_; }
  const std::shared_ptr<dispatch::DevicePool>& shared_pool() const { return pool_; }
  const EngineSettings& settings() const { return settings_; }
  /// The GPUs that `devices` (ComputeOptions::devices) names, or all that are in use. Throws Error for other
  /// devices and if there is no GPU.
  ChosenGpus gpus(std::string_view devices) const;
  /// The GPUs among these that would share such work, by the job's kernel. Throws ResourceError if none has
  /// enough memory.
  std::vector<dispatch::Device*> taking_part(const ChosenGpus& chosen, const dispatch::TileWork& work,
                                             std::string_view kernel) const;
  /// Fills the job's fields, a value for each body. `devices`: ComputeOptions::devices. Throws Error for
  /// devices that are not GPUs and if there is none, ResourceError if none has enough memory, Cancelled, and
  /// the exception of the last device if all have failed.
  dispatch::Report run(const SumJob& job, const std::vector<float*>& fields, std::string_view devices,
                       const jobs::Progress& progress) const;

 private:
  std::shared_ptr<dispatch::DevicePool> pool_;
  EngineSettings settings_;
  mutable dispatch::Calibration calibration_;
};

}  // namespace isolume::gpu
