#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/dispatch/device_values.h"
#include "core/nbody/bodies/diagnostics.h"
#include "core/nbody/bodies/frame_parts.h"
#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

/// Bodies cannot stay on devices: what() is the reason, as a clause. They are stepped from the host then.
class NotResident : public Error {
 public:
  using Error::Error;
};

/// Frame data in device memory: arrays as in NBodyFrame, null where they were not requested.
struct ResidentFrame {
  using Values = std::shared_ptr<const dispatch::DeviceValues>;
  Eigen::Vector3d centre = {0, 0, 0};  ///< of mass
  std::optional<Diagnostics> diagnostics = std::nullopt;
  Values positions = nullptr, speeds = nullptr, velocities = nullptr, potentials = nullptr;
  dispatch::Report report = {};  ///< of the forces
};

/// Bodies that stay on the devices of an engine between leapfrog steps: a step copies no bodies or forces to the
/// host. For one thread at a time.
///
/// After Cancelled the bodies are as they were before the call. After any other exception the state is undefined
/// until put().
class ResidentBodies {
 public:
  virtual ~ResidentBodies() = default;

  /// Copies bodies to the remaining devices and sums the forces on them. At least one body, all arrays of one length.
  /// Throws NotResident where there is no device or not enough memory, Cancelled, dispatch::DeviceLost.
  virtual void put(const Bodies& bodies, const jobs::Progress& progress) = 0;

  /// A kick, a drift of `dt` (negative: back in time) and a kick, with the arithmetic of NBodySimulation in double
  /// precision. Returns the index of a body that escapes to infinity, if any: nothing has changed then. Throws as
  /// put() does, and Error.
  virtual std::optional<std::size_t> step(double dt, const jobs::Progress& progress) = 0;

  /// Copies positions and velocities to arrays, which are resized as needed; masses are left alone.
  virtual void fetch(Bodies& bodies, const jobs::Progress& progress) = 0;
  /// On the present bodies, as Solver::forces.
  virtual Forces forces(const jobs::Progress& progress) = 0;

  /// The requested parts of a frame (FramePart, except frame_force_error) of the present bodies: bitwise the same as
  /// from the host. Nothing where there is not enough memory, or these devices make no frames: the host does then.
  virtual std::optional<ResidentFrame> frame(simulation::Wanted /*what*/,
                                             const jobs::Progress& /*progress*/) {
    return std::nullopt;
  }

  /// Of the last step, or of put().
  virtual ForceSeconds seconds() const = 0;
  /// Description of the engine, for display: "2 x NVIDIA H100, Barnes-Hut".
  virtual std::string who() const = 0;
  /// "GPU 0", "GPUs 0 and 1".
  virtual std::string where() const = 0;
};

}  // namespace isolume::nbody
