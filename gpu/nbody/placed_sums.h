#pragma once

#include <cstdint>
#include <memory>

#include "gpu/nbody/tree_on_device.h"
#include "gpu/runtime/device_job.h"

namespace isolume::gpu {

/// Sums for bodies that lie on a device, where they are at one moment: put in order there, with what their solver needs
/// of them.
class PlacedSums {
 public:
  virtual ~PlacedSums() = default;
  /// The bodies' numbers before they were put in order, on the device.
  virtual const std::uint32_t* original() const = 0;
  /// Queues sums for bodies of that order, as SumJob has them: field k of body i goes to fields[k * field_stride + i]. Slabs
  /// begin at multiples of placed_granularity. The same bits as that of SumJobs on all bodies.
  virtual void sum(Slab slab, float* fields, std::size_t field_stride, const Stream& stream) = 0;
};

inline constexpr int placed_granularity = 256;
/// Of a body: of the sums, and while they are made ready.
inline constexpr std::size_t placed_fields = nbody_kernels::walk_fields;
inline constexpr std::size_t bytes_to_place = 200;

/// Every pair. Returns when all is ready; throws as build_tree.
std::unique_ptr<PlacedSums> place_direct(const BodyScale& scale,
                                         const DeviceBuffer<nbody_kernels::WalkBody>& given, double softening,
                                         const Stream& stream, const Delivery& delivery);
/// Barnes-Hut; throws nbody::NotResident where the bodies are too close together for a GPU's tree.
std::unique_ptr<PlacedSums> place_tree(const BodyScale& scale,
                                       const DeviceBuffer<nbody_kernels::WalkBody>& given,
                                       const nbody::ForceOptions& options, const Stream& stream,
                                       const Delivery& delivery);

}  // namespace isolume::gpu
