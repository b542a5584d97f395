#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/dispatch/dispatch.h"
#include "core/jobs/progress.h"
#include "core/orbitals/cpu_field.h"
#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/slab_plan.h"
#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {

/// One field being computed by several devices: what each of them holds is made when it begins its first
/// tile, and gone when this is. Results reach the caller's memory only from the host and only after the
/// device has been waited for: one that was given up may write whenever it likes.
class SlabFarm {
 public:
  struct Settings {
    /// A device is given up after this long and twenty times what its slab should take.
    std::chrono::duration<double> deadline{10};
    bool mapped_results = false;  ///< kernels write to mapped host memory instead of their own
  };
  /// `plan.devices` and `devices` go together. `on_cpu`, where it was made already, is what the CPU computes
  /// with.
  SlabFarm(const FieldProblem& problem, const KernelJob& kernel, const std::vector<float*>& fields,
           const SlabWork& work, const SlabPlan& plan, std::span<dispatch::Device* const> devices,
           const Settings& settings, std::optional<orbitals::CpuField> on_cpu);
  ~SlabFarm();

  /// As dispatch::run_tiles.
  dispatch::Report run(const jobs::Progress& progress);

  /// From the start to the device's first launch; 0 where it never came so far.
  double start_seconds(std::size_t device) const;
  /// GPUs that failed for another reason than lack of memory, and not by hanging.
  std::vector<GpuDevice*> failed() const;

 private:
  class GpuShare;
  class CpuShare;

  Slab slab(std::size_t tile) const;

  const SlabWork work_;
  const SlabPlan plan_;
  const std::vector<dispatch::Device*> devices_;
  std::vector<std::unique_ptr<GpuShare>> gpus_;  ///< null for the CPU
  std::unique_ptr<CpuShare> cpu_;
};

}  // namespace isolume::gpu
