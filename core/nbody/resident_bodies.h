#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/nbody/solver.h"

namespace isolume::nbody {

/// Bodies cannot stay on devices: what() is the reason, as a clause. They are stepped from the host then.
class NotResident : public Error {
 public:
  using Error::Error;
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

  /// Of the last step, or of put().
  virtual ForceSeconds seconds() const = 0;
  /// Who sums the forces, for people: "2 x NVIDIA H100, Barnes-Hut".
  virtual std::string who() const = 0;
  /// "GPU 0", "GPUs 0 and 1".
  virtual std::string where() const = 0;
};

}  // namespace isolume::nbody
