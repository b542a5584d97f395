#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gpu/nbody/tree/tree_on_device.h"
#include "gpu/runtime/multi_device/sum_job.h"

namespace isolume::gpu {

/// An estimate for this number of bodies, since the number is unknown before the walk: the time of devices is
/// learnt from earlier walks.
double operations_of_walk(std::size_t bodies);
/// The name of a walk's kernel: see SumJob. `share`: WalkTree::share.
std::string_view kernel_of_walk(double share);

/// A walk through a tree that each device builds or receives when its part begins.
class WalkJob final : public SumJob {
 public:
  struct Tree {
    std::size_t bodies = 0;
    std::size_t device_bytes = 0;  ///< while it is built
    std::string how;               ///< for users, as a clause
    std::function<TreeOnDevice(const Stream& stream, const WaitLimits& limits)> make;
  };
  /// `share`: WalkTree::share, 0 if no error is requested. `softening` in scaled units.
  WalkJob(Tree tree, double share, nbody_kernels::PairSoftening softening);
  ~WalkJob() override;

  std::string_view kernel() const override;
  std::string remark() const override { return tree_.how; }
  int items() const override { return static_cast<int>(tree_.bodies); }
  std::string subject() const override { return "The sum over " + std::to_string(tree_.bodies) + " bodies"; }
  int fields() const override { return nbody_kernels::walk_fields; }
  int granularity() const override { return 4 * nbody_kernels::walk_group_size; }
  std::size_t device_bytes() const override { return tree_.device_bytes; }
  std::size_t bytes_an_item() const override { return static_cast<std::size_t>(fields()) * sizeof(float); }
  double operations() const override;
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override;

  /// After a run: whether bodies are so close together, compared with the whole, that a tree with keys of 63
  /// bits does not separate them. Nothing was summed then.
  bool too_dense() const;
  /// After a run: the tree's time on the slowest device.
  double tree_seconds() const;

 private:
  struct Found;

  Tree tree_;
  double share_;
  nbody_kernels::PairSoftening softening_;
  std::unique_ptr<Found> found_;
};

}  // namespace isolume::gpu
