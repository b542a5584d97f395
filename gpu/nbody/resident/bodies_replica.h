#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/nbody/engines/resident_bodies.h"
#include "gpu/nbody/resident/frame_kernels.h"
#include "gpu/nbody/resident/leapfrog_kernels.h"
#include "gpu/nbody/resident/placed_sums.h"

namespace isolume::gpu {

/// All bodies in the memory of one GPU, and that GPU's part in their time steps. A step writes to a second
/// state, so that a cancelled step leaves the bodies unchanged. Not thread-safe.
class BodiesReplica {
 public:
  /// Throws ResourceError.
  BodiesReplica(const GpuDevice& device, std::size_t count, const nbody::ForceOptions& options);

  /// Memory of a body, besides that for preparing sums.
  static constexpr std::size_t bytes_a_body =
      2 * (sizeof(nbody_kernels::WalkBody) + 7 * sizeof(double)) + placed_fields * sizeof(float);

  const GpuDevice& device() const { return stream_.device(); }

  // The calls of a step, in their order. All but the copies wait for their work; they throw like build_tree,
  // and nbody::NotResident.

  /// Sets the bodies, without forces, as the result of a step's drift.
  void upload(const nbody::Bodies& bodies, const WaitLimits& limits);
  /// Queues a kick and a drift.
  void drift(double dt);
  /// Queues the present bodies as the next ones, so that their forces are summed anew.
  void stay();
  /// Prepares the sums for the present positions. Returns the number of an escaped body, if there is one.
  std::optional<std::uint32_t> place(double mass_sum, const WaitLimits& limits);
  /// Computes the sums for this GPU's part of the bodies; waits, so that a hanging device is detected before
  /// others wait for it. `potentials`: see PlacedSums.
  void sum(Slab part, bool potentials, const WaitLimits& limits);
  /// Queues copies of this GPU's part to another one.
  void copy_part_to(const BodiesReplica& other) const;
  /// Converts all sums to forces, and kicks the bodies by this step if it is not 0.
  void take_forces(double half_step, const WaitLimits& limits);
  /// Makes the new state the present one.
  void end_step() { std::swap(now_, next_); }

  /// In the format of leapfrog_kernels.h.
  std::vector<nbody_kernels::WalkBody> places(const WaitLimits& limits) const;
  std::vector<double> velocities(const WaitLimits& limits) const;
  std::vector<double> forces(const WaitLimits& limits) const;

  /// The requested parts of a frame (nbody::FramePart), copied to separate memory on this GPU. Without a
  /// report.
  nbody::ResidentFrame frame(simulation::Wanted what, const std::shared_ptr<dispatch::DevicePool>& pool,
                             const WaitLimits& limits) const;

  Slab part() const { return part_; }
  /// Of the last step.
  double seconds_to_place() const { return seconds_to_place_; }
  double seconds_to_sum() const { return seconds_to_sum_; }

 private:
  struct State {
    State(const Stream& stream, std::size_t count)
        : bodies(stream, count), velocities(stream, 3 * count), forces(stream, 4 * count) {}

    DeviceBuffer<nbody_kernels::WalkBody> bodies;
    DeviceBuffer<double> velocities, forces;
  };

  nbody_kernels::BodiesNow bodies_now() const {
    return {now_.bodies.device_data(), now_.velocities.device_data(), now_.forces.device_data(), count()};
  }
  nbody::Totals totals(const WaitLimits& limits) const;
  void set_lagrangian_radii(double mass, nbody::Diagnostics& diagnostics, const WaitLimits& limits) const;
  std::uint32_t count() const { return static_cast<std::uint32_t>(now_.bodies.size()); }
  template <class T>
  std::vector<T> fetched(const DeviceBuffer<T>& values, const WaitLimits& limits) const;

  nbody::ForceOptions options_;
  Stream stream_;
  State now_, next_;
  DeviceBuffer<float> fields_;  ///< scaled sums in the order of `sums_`
  DeviceBuffer<nbody_kernels::BodyBounds> bounds_;
  PinnedBuffer<nbody_kernels::BodyBounds> seen_;
  std::unique_ptr<PlacedSums> sums_;
  nbody_kernels::ForceUnits units_ = {};
  Slab part_ = {};
  double seconds_to_place_ = 0, seconds_to_sum_ = 0;
};

}  // namespace isolume::gpu
