#pragma once

#include "core/nbody/forces/octree.h"
#include "gpu/nbody/tree/walk_kernels.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/multi_device/sum_job.h"

namespace isolume::gpu {

/// The data of a walk, in one device's memory.
struct TreeOnDevice {
  DeviceBuffer<nbody_kernels::WalkBody> bodies;
  DeviceBuffer<std::uint32_t> original;
  DeviceBuffer<nbody_kernels::WalkCell> cells;
  DeviceBuffer<nbody_kernels::WalkGroup> groups;
  DeviceBuffer<std::uint32_t> chunk_groups;
  std::uint32_t largest_leaf = 0;  ///< of leaves built on the device whose bodies are not all at one position

  /// Bodies are so close together, compared with the whole, that keys of 63 bits do not separate them: all
  /// bodies of a leaf would interact directly.
  bool too_dense() const { return largest_leaf > 512; }
};
/// Queues nbody_kernels::walk for the bodies of `slab`; nothing acts where the tree is too dense.
void queue_walk(const TreeOnDevice& tree, float share, const nbody_kernels::PairSoftening& softening,
                Slab slab, float* out, std::size_t field_stride, const Stream& stream);

/// The scaling of bodies in this box by nbody::sort_bodies.
struct BodyScale {
  BodyScale(const Eigen::AlignedBox3d& around, double mass);

  Eigen::AlignedBox3d box = {};
  double length = 1;
  double mass_sum = 1;
};

/// The original bodies, and their scaling.
struct BodiesToSort {
  /// Needs at least one body.
  explicit BodiesToSort(const nbody::Bodies& bodies);

  nbody::Paged<nbody_kernels::WalkBody> points;
  BodyScale scale;
};

/// Bodies in the order of nbody::sort_bodies, scaled; `keys` are their positions along the curve.
struct OrderOnDevice {
  DeviceBuffer<nbody_kernels::WalkBody> bodies;
  DeviceBuffer<std::uint32_t> original;
  DeviceBuffer<std::uint64_t> keys;
};
/// Queued on the stream. `given`: unscaled bodies on its device.
OrderOnDevice order_on_device(const BodyScale& scale, const DeviceBuffer<nbody_kernels::WalkBody>& given,
                              const Stream& stream);

/// Sorts the bodies and builds the tree on the stream's device; returns when it is complete. `given`: as for
/// order_on_device. `opening_angle`: for WalkCell::opening_by_angle. Throws Cancelled, ResourceError,
/// dispatch::DeviceLost.
TreeOnDevice build_tree(const BodyScale& scale, const DeviceBuffer<nbody_kernels::WalkBody>& given,
                        double opening_angle, const Stream& stream, const WaitLimits& limits);

/// A tree of the CPU, prepared for the devices to which it is copied.
struct TreeToUpload {
  TreeToUpload(const nbody::Octree& octree, double opening_angle);

  const nbody::Octree& octree;
  nbody::Paged<nbody_kernels::WalkCell> cells;
  nbody::Paged<nbody_kernels::WalkGroup> groups;
  nbody::Paged<std::uint32_t> chunk_groups;
};
TreeOnDevice upload_tree(const TreeToUpload& tree, const Stream& stream, const WaitLimits& limits);

}  // namespace isolume::gpu
