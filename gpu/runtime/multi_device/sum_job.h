#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "gpu/runtime/multi_device/device_job.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {

/// Sums over sources by one kernel: created once on the host and shared by all devices. Items of its
/// DeviceJobs are planes of a grid, or points of a list. Its inputs must outlive it.
class SumJob {
 public:
  virtual ~SumJob() = default;
  virtual std::string_view kernel() const = 0;  ///< for calibration, and for users: "shared"
  virtual int items() const = 0;
  virtual std::size_t item_values() const { return 1; }  ///< values of an item in each field
  virtual int fields() const { return 1; }
  /// Slabs best begin at multiples of this many items.
  virtual int granularity() const = 0;
  /// Memory on a device: in all, and for each item in progress, with its results.
  virtual std::size_t device_bytes() const = 0;
  virtual std::size_t bytes_an_item() const = 0;
  virtual double operations() const = 0;
  /// The subject for users: "The potential of 12 charges".
  virtual std::string subject() const = 0;
  /// A further remark, as a clause.
  virtual std::string remark() const { return {}; }
  /// Copies to the stream's device; see MultiDeviceRun::Job::prepare.
  virtual std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const = 0;
};

}  // namespace isolume::gpu
