#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/dispatch/device_values.h"
#include "core/nbody/diagnostics.h"
#include "core/nbody/frame_parts.h"
#include "core/nbody/solver.h"

namespace isolume::nbody {

/// Bodies cannot stay on devices: what() is the reason, as a clause. They are stepped from the host then.
class NotResident : public Error {
 public:
  using Error::Error;
};

/// What a frame shows of bodies, where they are: numbers as NBodyFrame has them, null where they were not wanted.
struct ResidentFrame {
  using Values = std::shared_ptr<const dispatch::DeviceValues>;
  Eigen::Vector3d centre = {0, 0, 0};  ///< of mass
  std::optional<Diagnostics> diagnostics = std::nullopt;
  Values positions = nullptr, speeds = nullptr, velocities = nullptr, potentials = nullptr;
  dispatch::Report report = {};  ///< of the forces
};

/// Bodies that stay on the devices of an engine between the steps of a leapfrog: a step moves no bodies and no forces over
/// the bus to the host. For one thread at a time.
///
/// After Cancelled the bodies are as they were before the call. After any other exception nothing is known of them until
/// put().
class ResidentBodies {
 public:
  virtual ~ResidentBodies() = default;

  /// Places bodies on the devices, of those that are left, and sums the forces on them. At least one body, all arrays
  /// of one length. Throws NotResident where there is no device or no room, Cancelled, dispatch::DeviceLost.
  virtual void put(const Bodies& bodies, const jobs::Progress& progress) = 0;

  /// A kick, a drift of `dt` (negative: back in time) and a kick, with the arithmetic of NBodySimulation in double
  /// precision. Returns the number of a body that flies away without end, where there is one: nothing has changed then.
  /// Throws as put() does, and Error.
  virtual std::optional<std::size_t> step(double dt, const jobs::Progress& progress) = 0;

  /// Places and velocities, into arrays that are made as long as they need be; masses are left alone.
  virtual void fetch(Bodies& bodies, const jobs::Progress& progress) = 0;
  /// On the bodies as they are, as Solver::forces has them.
  virtual Forces forces(const jobs::Progress& progress) = 0;

  /// What is wanted of a frame (FramePart, but for frame_force_error), of the bodies as they are: the same bits as from
  /// the host's. Nothing where there is no room for it, or these devices make none: the host does then.
  virtual std::optional<ResidentFrame> frame(simulation::Wanted /*what*/,
                                             const jobs::Progress& /*progress*/) {
    return std::nullopt;
  }

  /// Of the last step, or of put().
  virtual ForceSeconds seconds() const = 0;
  /// Who sums the forces, for people: "2 x NVIDIA H100, Barnes-Hut".
  virtual std::string who() const = 0;
  /// "GPU 0", "GPUs 0 and 1".
  virtual std::string where() const = 0;
};

}  // namespace isolume::nbody
