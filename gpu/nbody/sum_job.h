#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "gpu/runtime/memory/upload_vector.h"
#include "gpu/runtime/multi_device/device_job.h"

namespace isolume::gpu {

/// Sums for all bodies of a system, in their order along a curve: created once on the host and shared by all
/// devices. Items of its DeviceJobs are bodies, whose fields are in scaled units (nbody::SortedBodies) and
/// single precision: x, y and z of the acceleration, the potential including the body's own, and the job's
/// counts.
class SumJob {
 public:
  virtual ~SumJob() = default;
  virtual std::string_view kernel() const = 0;  ///< for calibration: "direct"
  virtual std::string how() const = 0;          ///< for users, as a clause
  virtual std::size_t body_count() const = 0;
  virtual int fields() const = 0;
  /// Slabs best begin at multiples of this many bodies.
  virtual int granularity() const = 0;
  /// Memory on a device: in all, and for each body in progress, with its results.
  virtual std::size_t device_bytes() const = 0;
  virtual std::size_t bytes_a_body() const = 0;
  virtual double operations() const = 0;
  /// Copies to the stream's device; see MultiDeviceRun::Job::prepare.
  virtual std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const = 0;
};

}  // namespace isolume::gpu
