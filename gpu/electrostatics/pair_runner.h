#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/dispatch/calibration.h"
#include "core/dispatch/compute_options.h"
#include "gpu/electrostatics/gpu_pair_engine.h"
#include "gpu/electrostatics/sum_job.h"

namespace isolume::gpu {

/// Shares out sums over the devices of a pool, and learns how fast GPUs are at that.
class PairRunner {
 public:
  PairRunner(std::shared_ptr<dispatch::DevicePool> pool, const PairEngineSettings& settings)
      : pool_(std::move(pool)), settings_(settings) {}

  const dispatch::DevicePool& pool() const { return *pool_; }
  /// Fills the job's fields. `on_host` computes the same items on the calling thread, straight into them: where the CPU
  /// was named, beside the GPUs; else when all of those have failed. Throws Error for devices among which there is no
  /// GPU, ResourceError where none has room, Cancelled, and what the last device threw.
  dispatch::Report run(const SumJob& job, const std::vector<float*>& fields,
                       const std::function<void(Slab, const jobs::Progress&)>& on_host,
                       const dispatch::ComputeOptions& options, const jobs::Progress& progress) const;

 private:
  std::shared_ptr<dispatch::DevicePool> pool_;
  PairEngineSettings settings_;
  mutable dispatch::Calibration calibration_;
};

}  // namespace isolume::gpu
