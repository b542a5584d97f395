#pragma once

#include <cstddef>
#include <memory>

#include "core/electrostatics/poisson_boltzmann/lattice_equation.h"
#include "gpu/runtime/upload_vector.h"

namespace isolume::gpu {

/// Of u and its residual on the finest level; all corrections are of single precision.
enum class EquationPrecision {
  mixed,  ///< double: what is left of an equation is known to the last digit
  single,  ///< 4 bytes a point less, and no residual below a millionth or so: to show what double precision is for
};

/// An equation on a GPU: a copy of its links, d, charges and u, all levels, and what solve_equation has done there. They
/// stay there from the first residual to the last; the host hears of sums alone.
class DeviceEquation : public electrostatics::EquationOperations {
 public:
  /// As large as this on the device: 40 bytes a point and 24 / 7 for the coarser levels in mixed precision (24 of links, d, z
  /// and r; 4 of p; 8 of u; 4 of the change of u, of the non-linear equation alone), and 16 a charge.
  static std::size_t bytes_of(const electrostatics::LatticeEquation& equation, bool nonlinear,
                              EquationPrecision precision);
  /// u as it has become.
  virtual void fetch(electrostatics::LatticeEquation::Potentials& u) = 0;
};

/// Copies it to the stream's device. All references must outlive what is made; the equation may change once it is.
/// Whatever it does throws Error, ResourceError, dispatch::DeviceLost, Cancelled.
std::unique_ptr<DeviceEquation> put_equation(const electrostatics::LatticeEquation& equation, bool nonlinear,
                                             EquationPrecision precision, const Stream& stream,
                                             const Delivery& delivery);

}  // namespace isolume::gpu
