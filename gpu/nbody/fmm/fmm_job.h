#pragma once

#include <cstdint>
#include <memory>

#include "core/multipoles/sum_setup.h"
#include "core/nbody/forces/solver.h"
#include "gpu/runtime/multi_device/sum_job.h"

namespace isolume::gpu {

/// Why GPUs cannot keep the requested error, as a clause; empty if they can.
std::string why_not_by_fmm(const nbody::ForceOptions& options);

/// Tree, moments and acceptance criterion of at least one body. Throws Error if single precision, which GPUs sum
/// in, does not suffice for the requested error or the bodies; as multipoles::charge_sums.
std::unique_ptr<const multipoles::SumSetup> fmm_setup(const nbody::Bodies& bodies,
                                                      const nbody::ForceOptions& options,
                                                      const jobs::Progress& progress);

/// The fast multipole method: the host finds the sources of each cell, and each device sums for its bodies. Items
/// are the points of the setup's tree, in its order; fields are x, y and z of the acceleration, and the
/// potential, in units of its frame.
class FmmJob final : public SumJob {
 public:
  /// `setup`: of fmm_setup. Throws Cancelled, ResourceError.
  FmmJob(const multipoles::SumSetup& setup, const jobs::Progress& progress);
  ~FmmJob() override;

  std::string_view kernel() const override { return "fmm"; }
  std::string remark() const override;
  int items() const override;
  std::string subject() const override;
  int fields() const override { return 4; }
  int granularity() const override { return 256; }
  std::size_t device_bytes() const override;
  std::size_t bytes_an_item() const override;
  double operations() const override;
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override;

  std::uint64_t body_pairs() const;
  std::uint64_t cell_pairs() const;

 private:
  struct Layout;
  class OnDevice;

  std::shared_ptr<const Layout> layout_;
};

}  // namespace isolume::gpu
