#pragma once

#include <cstdint>
#include <memory>

#include "gpu/nbody/tree/tree_on_device.h"
#include "gpu/runtime/multi_device/device_job.h"

namespace isolume::gpu {

/// Sums for bodies on a device at their present positions: sorted there, with the data of their solver.
class PlacedSums {
 public:
  virtual ~PlacedSums() = default;
  /// The original numbers of the sorted bodies, on the device.
  virtual const std::uint32_t* original() const = 0;
  /// Queues sums for sorted bodies, in the format of SumJob: field k of body i goes to fields[k *
  /// field_stride + i]. Slabs must begin at multiples of placed_granularity. Bit-identical to SumJobs on all
  /// bodies. `potentials`: otherwise the fourth field of direct sums is 0.
  virtual void sum(Slab slab, bool potentials, float* fields, std::size_t field_stride,
                   const Stream& stream) = 0;
};

inline constexpr int placed_granularity = 256;
/// Memory per body: of the sums, and while they are prepared.
inline constexpr std::size_t placed_fields = nbody_kernels::walk_fields;
inline constexpr std::size_t bytes_to_place = 200;

/// Direct sum. Returns when the data are ready; throws like build_tree.
std::unique_ptr<PlacedSums> place_direct(const BodyScale& scale,
                                         const DeviceBuffer<nbody_kernels::WalkBody>& given,
                                         const nbody::ForceOptions& options, const Stream& stream,
                                         const WaitLimits& limits);
/// Barnes-Hut; throws nbody::NotResident if the bodies are too close together for a GPU's tree.
std::unique_ptr<PlacedSums> place_tree(const BodyScale& scale,
                                       const DeviceBuffer<nbody_kernels::WalkBody>& given,
                                       const nbody::ForceOptions& options, const Stream& stream,
                                       const WaitLimits& limits);

}  // namespace isolume::gpu
