#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/dispatch/calibration.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/tile_plan.h"
#include "core/jobs/progress.h"
#include "gpu/runtime/device_job.h"

namespace isolume::gpu {

class GpuDevice;

/// One job being computed by several devices: what each of them holds is made when it begins its first
/// tile, and gone when this is. Results reach the caller's host memory only from the host and only after
/// the device has been waited for: one that was given up may write whenever it likes.
class MultiDeviceRun {
 public:
  struct Job {
    /// Copies what the kernels need to the stream's device; called once a device. It may be used on other
    /// streams of the device once the stream has been waited for.
    std::function<std::unique_ptr<DeviceJob>(const Stream& stream)> prepare;
    /// The same items computed by the host, straight into the results; for plans with a host.
    std::function<void(int worker, Slab slab, const jobs::Progress& progress)> on_host;
    std::vector<float*> results;  ///< of each field, the values of all items
    std::size_t item_values = 0;  ///< of one item, in each field
    /// For one field that is to stay on a device, in place of `results`: the values of all items, in memory of
    /// `device` that was taken for `owner`. What other devices compute is copied there; the host cannot take
    /// part. Where a share of the report says that `device` has failed, what is there is not to be used.
    struct OnDevice {
      const GpuDevice* device = nullptr;
      float* values = nullptr;
      std::function<void(const Stream&)> used_by;  ///< told of every stream whose work writes there
    };
    std::optional<OnDevice> on_device;
  };
  struct Settings {
    /// A device is given up after this long and twenty times what its slab should take.
    std::chrono::duration<double> deadline{10};
    bool mapped_results = false;  ///< kernels write to mapped host memory instead of their own
  };
  /// `plan.devices` and `devices` go together. References must outlive it.
  MultiDeviceRun(const Job& job, const dispatch::TileWork& work, const dispatch::TilePlan& plan,
                 std::span<dispatch::Device* const> devices, const Settings& settings);
  ~MultiDeviceRun();

  /// As dispatch::run_tiles. A GPU that fails a tile is tried with a small kernel at once: where it fails
  /// that as well, it is set aside for good.
  dispatch::Report run(const jobs::Progress& progress);

  /// What the GPUs have shown of their speed.
  void add_to(dispatch::Calibration& calibration, std::string_view kernel) const;

 private:
  class GpuShare;

  Slab slab(std::size_t tile) const;

  const Job& job_;
  const dispatch::TileWork work_;
  const dispatch::TilePlan plan_;
  const std::vector<dispatch::Device*> devices_;
  std::vector<std::unique_ptr<GpuShare>> gpus_;  ///< null for the host
};

}  // namespace isolume::gpu
