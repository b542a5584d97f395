#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/dispatch/dispatch.h"
#include "core/dispatch/tile_plan.h"

namespace isolume::dispatch {

/// What jobs have shown of the devices' speed. It changes how later jobs are cut, never what they give. All
/// calls from any thread.
class Calibration {
 public:
  /// A device's part in one job. What is 0 was not seen.
  struct Seen {
    double start_seconds = 0;  ///< from the start of the job to the first work
    double operations = 0;
    double computing_seconds = 0;  ///< for these, all workers' together
    double moved_bytes = 0;
    double moving_seconds = 0;  ///< for these, all workers' together
  };
  void add(const Device& device, std::string_view kernel, const Seen& seen);

  /// Of each device with this kernel. Half of what is said of a speed was seen by the last job. How fast data
  /// moves does not depend on the kernel.
  std::vector<DeviceFacts> facts(std::span<Device* const> devices, std::string_view kernel) const;

 private:
  struct Speed {
    double start_seconds = 0;
    double operations_per_second = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::pair<const Device*, std::string>, Speed> computing_;
  std::map<const Device*, double> bytes_per_second_;
};

}  // namespace isolume::dispatch
