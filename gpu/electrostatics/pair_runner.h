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

/// Distributes sums over the devices of a pool, and measures the speed of GPUs.
class PairRunner {
 public:
  PairRunner(std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings)
      : pool_(std::move(pool)), settings_(settings) {}

  const dispatch::DevicePool& pool() const { return *pool_; }
  /// Fills the job's fields. `on_host` computes the same items on the calling thread, directly into the
  /// fields: next to the GPUs if the CPU was named, otherwise if all GPUs have failed. Throws ResourceError
  /// if none has enough memory, Cancelled, and the exception of the last device.
  dispatch::Report run(const SumJob& job, const std::vector<float*>& fields,
                       const std::function<void(Slab, const jobs::Progress&)>& on_host,
                       const PairDevices& chosen, const jobs::Progress& progress) const;

  /// The mesh part, and the device that computed it.
  struct OnMesh {
    std::vector<double> values;
    std::string who;  ///< "a mesh of 96 x 96 x 96 points by NVIDIA H200 in 3 ms"
  };
  /// Computed by the first GPU that succeeds; if all GPUs have failed, by the CPU if it was named or no
  /// devices were. Throws Cancelled, and the exception of the last device.
  OnMesh values_on_mesh(const electrostatics::MeshSum& sum, const PairDevices& chosen,
                        const jobs::Progress& progress) const;

 private:
  std::shared_ptr<dispatch::DevicePool> pool_;
  EngineSettings settings_;
  mutable dispatch::Calibration calibration_;
};

}  // namespace isolume::gpu
