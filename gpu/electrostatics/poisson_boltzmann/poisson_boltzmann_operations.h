#pragma once

#include <cstddef>
#include <memory>

#include "core/electrostatics/poisson_boltzmann/grid_equation.h"
#include "gpu/runtime/memory/upload_vector.h"

namespace isolume::gpu {

/// Precision of u and its residual on the finest level; all corrections are in single precision.
enum class EquationPrecision {
  mixed,   ///< double: accurate residuals
  single,  ///< 4 bytes per point less, but no residual below about 1e-6: demonstrates the need for double
};

/// An equation on a GPU: a copy of its links, d, charges and u, all levels, and the operations for
/// solve_equation. The data stay there from the first residual to the last; only sums are copied to the host.
class DeviceEquation : public electrostatics::EquationOperations {
 public:
  /// Its size on the device: 40 bytes per point and 24 / 7 for the coarser levels in mixed precision (24 of
  /// links, d, z and r; 4 of p; 8 of u; 4 of the change of u, for the non-linear equation only), and 16 per
  /// charge.
  static std::size_t bytes_of(const electrostatics::GridEquation& equation, bool nonlinear,
                              EquationPrecision precision);
  /// Copies the present u.
  virtual void fetch(electrostatics::GridEquation::Potentials& u) = 0;
};

/// Copies the equation to the stream's device. All references must outlive the result; the equation may
/// change afterwards. All operations may throw Error, ResourceError, dispatch::DeviceLost, Cancelled.
std::unique_ptr<DeviceEquation> put_equation(const electrostatics::GridEquation& equation, bool nonlinear,
                                             EquationPrecision precision, const Stream& stream,
                                             const WaitLimits& limits);

}  // namespace isolume::gpu
