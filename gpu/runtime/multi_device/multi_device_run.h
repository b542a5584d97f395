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
#include "gpu/runtime/multi_device/device_job.h"

namespace isolume::gpu {

class GpuDevice;

/// One job on several devices. The data of each device are created with its first tile, and released with
/// this object. Results are copied to the caller's memory by the host only, after it has waited for the
/// device: a device that was given up may write at any time.
class MultiDeviceRun {
 public:
  struct Job {
    /// Copies the kernels' data to the stream's device; called once per device. The job may be used on other
    /// streams of the device once the stream has been waited for.
    std::function<std::unique_ptr<DeviceJob>(const Stream& stream)> prepare;
    /// Computes the same items on the host, directly into the results; for plans with a host.
    std::function<void(int worker, Slab slab, const jobs::Progress& progress)> on_host;
    std::vector<float*> results;  ///< for each field, the values of all items
    std::size_t item_values = 0;  ///< number of values of an item in each field
    /// For one field that is to stay on a device, instead of `results`: the values of all items, in memory of
    /// `device` that was taken for `owner`. Parts of other devices are copied there; the host cannot take
    /// part. If a share of the report says that `device` has failed, the values must not be used.
    struct OnDevice {
      const GpuDevice* device = nullptr;
      float* values = nullptr;
      std::function<void(const Stream&)> used_by;  ///< called with every stream whose work writes there
    };
    std::optional<OnDevice> on_device;
  };
  struct Settings {
    /// A device is given up after the longer of this time and twenty times the expected time of its slab.
    std::chrono::duration<double> deadline{10};
    bool mapped_results = false;  ///< kernels write to mapped host memory instead of their own
  };
  /// `plan.devices` and `devices` correspond. References must outlive it.
  MultiDeviceRun(const Job& job, const dispatch::TileWork& work, const dispatch::TilePlan& plan,
                 std::span<dispatch::Device* const> devices, const Settings& settings);
  ~MultiDeviceRun();

  /// Like dispatch::run_tiles. A GPU that fails a tile is tested with a small kernel at once: if it fails
  /// that as well, it is set aside permanently.
  dispatch::Report run(const jobs::Progress& progress);

  /// Adds the GPUs' measured speeds.
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
