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

/// Device speeds measured in earlier jobs. They affect how later jobs are cut, never their results. Calls may
/// come from any thread.
class Calibration {
 public:
  /// One device's part in one job. Values of 0 were not measured.
  struct Seen {
    double start_seconds = 0;  ///< from the start of the job to the first work
    double operations = 0;
    double computing_seconds = 0;  ///< for these, summed over all workers
    double moved_bytes = 0;
    double moving_seconds = 0;  ///< for these, summed over all workers
  };
  void add(const Device& device, std::string_view kernel, const Seen& seen);

  /// The facts of each device for this kernel. The last job has a weight of one half in each speed. The first one counts
  /// only until there is a second: it includes what is done once, as loading the kernel. The speed of transfers does not
  /// depend on the kernel.
  std::vector<DeviceFacts> facts(std::span<Device* const> devices, std::string_view kernel) const;

 private:
  /// A mean of the jobs after the first one.
  class Mean {
   public:
    void add(double value) {
      value_ = samples_ < 2 ? value : (value_ + value) / 2;
      ++samples_;
    }
    double value() const { return value_; }

   private:
    double value_ = 0;
    int samples_ = 0;
  };
  struct Speed {
    Mean start_seconds, operations_per_second;
  };
  mutable std::mutex mutex_;
  std::map<std::pair<const Device*, std::string>, Speed> computing_;
  std::map<const Device*, Mean> bytes_per_second_;
};

}  // namespace isolume::dispatch
