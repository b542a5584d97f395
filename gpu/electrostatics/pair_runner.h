#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/dispatch/calibration.h"
#include "gpu/electrostatics/gpu_pair_engine.h"
#include "gpu/electrostatics/pair_devices.h"
#include "gpu/electrostatics/sum_job.h"

namespace isolume::gpu {

/// Shares out sums over the devices of a pool, and learns how fast GPUs are at that.
class PairRunner {
 public:
  PairRunner(std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings)
      : pool_(std::move(pool)), settings_(settings) {}

  const dispatch::DevicePool& pool() const { return *pool_; }
  /// Fills the job's fields. `on_host` computes the same items on the calling thread, straight into them: where the CPU
  /// was named, beside the GPUs; else when all of those have failed. Throws ResourceError where none has room, Cancelled,
  /// and what the last device threw.
  dispatch::Report run(const SumJob& job, const std::vector<float*>& fields,
                       const std::function<void(Slab, const jobs::Progress&)>& on_host,
                       const PairDevices& chosen, const jobs::Progress& progress) const;

  /// What a mesh carries, and who found it.
  struct OnMesh {
    std::vector<double> values;
    std::string who;  ///< "a mesh of 96 x 96 x 96 points by NVIDIA H200 in 3 ms"
  };
  /// By the first GPU that does it; by the CPU where it was named or nobody was, when all GPUs have failed. Throws Cancelled,
  /// and what the last device threw.
  OnMesh values_on_mesh(const electrostatics::MeshSum& sum, const PairDevices& chosen,
                        const jobs::Progress& progress) const;

 private:
  std::shared_ptr<dispatch::DevicePool> pool_;
  EngineSettings settings_;
  mutable dispatch::Calibration calibration_;
};

}  // namespace isolume::gpu
