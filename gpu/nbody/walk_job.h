#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gpu/nbody/sum_job.h"
#include "gpu/nbody/tree_on_device.h"

namespace isolume::gpu {

/// Roughly, of so many bodies, as nobody knows before the walk: what devices take for it is learnt from walks before.
double operations_of_walk(std::size_t bodies);
/// What a walk is called: see SumJob. `share`: WalkTree::share.
std::string_view kernel_of_walk(double share);

/// A walk through a tree that each device makes or gets when its part begins.
class WalkJob final : public SumJob {
 public:
  struct Tree {
    std::size_t bodies = 0;
    std::size_t device_bytes = 0;  ///< while it is made
    std::string how;               ///< for people, as a clause
    std::function<TreeOnDevice(const Stream& stream, const Delivery& delivery)> make;
  };
  /// `share`: WalkTree::share, 0 where no error is asked for. `softening` in scaled units.
  WalkJob(Tree tree, double share, double softening);
  ~WalkJob() override;

  std::string_view kernel() const override;
  std::string how() const override { return tree_.how; }
  std::size_t body_count() const override { return tree_.bodies; }
  int fields() const override { return nbody_kernels::walk_fields; }
  int granularity() const override { return 4 * nbody_kernels::walk_group_size; }
  std::size_t device_bytes() const override { return tree_.device_bytes; }
  std::size_t bytes_a_body() const override { return static_cast<std::size_t>(fields()) * sizeof(float); }
  double operations() const override;
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const Delivery& delivery) const override;

  /// After a run: bodies are so close together, compared with the whole, that a tree whose cells have numbers of 63
  /// bits does not tell them apart. Nothing was summed then.
  bool too_dense() const;
  /// After a run: what the tree took, of the device that was slowest at it.
  double tree_seconds() const;

 private:
  struct Found;

  Tree tree_;
  double share_;
  float softening_squared_;
  std::unique_ptr<Found> found_;
};

}  // namespace isolume::gpu
