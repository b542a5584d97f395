#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/base/field_values.h"
#include "core/dispatch/compute_options.h"
#include "core/dispatch/dispatch.h"
#include "core/grid/device_field.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"

namespace isolume::orbitals {

/// Linear fields: column k of `coefficients` (functions x K) gives psi_k(r) = sum_mu c_mu,k chi_mu(r). Quadratic
/// fields: rho(r) = sum_k weights[k] * psi_k(r)^2. Every density, spin density and difference of the lab is one of
/// these two.

struct EngineOptions : dispatch::ComputeOptions {
  /// Omitted small terms sum to less than this, absolute, in the amplitudes' unit. Quadratic fields then have an
  /// error of at most 2 s sqrt(sum_k |weights[k]| psi_k^2) + s^2, s being this number, or s / 100 where that is more.
  /// Rounding to float is additional. Proofs: separable_terms.h, product_field.h, scattered_points.h.
  double screening = 1e-7;
};

/// A field kept on the device that computed it; null if it is not.
using FieldOnDevice = std::shared_ptr<const grid::DeviceField>;

using dispatch::Computed;

/// Evaluates fields on grids and at points. Implementations keep no state between calls that could change
/// a result; callable from several threads.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;  ///< "cpu", "cuda", "emulated", "reference"
  /// "CPU, AVX-512, 2 threads", for this many threads (0: all).
  virtual std::string description(int threads = 0) const = 0;
  /// Values of ComputeOptions::kernel besides "auto"; empty if there is no choice.
  virtual std::vector<std::string> kernels() const { return {}; }

  /// K fields in one pass, each `grid.point_count()` values, x fastest. Throws Cancelled or ResourceError.
  virtual Computed<std::vector<FieldValues>> amplitudes(const molecules::Molecule& molecule,
                                                        const molecules::BasisSet& basis,
                                                        const Eigen::MatrixXd& coefficients,
                                                        const grid::Grid& grid, const EngineOptions& options,
                                                        const jobs::Progress& progress) const = 0;

  /// sum_k weights[k] psi_k^2.
  virtual Computed<FieldValues> density(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                        const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                                        const grid::Grid& grid, const EngineOptions& options,
                                        const jobs::Progress& progress) const = 0;

  /// One field on a grid, left on a device: `weights` null for the amplitude of the one column, else density().
  /// Null where no device can or should keep it: the other functions compute it then. The values are the same. Throws
  /// Cancelled.
  virtual Computed<FieldOnDevice> on_device(const molecules::Molecule& molecule,
                                            const molecules::BasisSet& basis,
                                            const Eigen::MatrixXd& coefficients,
                                            const Eigen::VectorXd* weights, const grid::Grid& grid,
                                            const EngineOptions& options,
                                            const jobs::Progress& progress) const;

  /// psi_k at arbitrary points (3 x n, bohr): n x K.
  virtual Computed<Eigen::MatrixXf> amplitudes_at(const molecules::Molecule& molecule,
                                                  const molecules::BasisSet& basis,
                                                  const Eigen::MatrixXd& coefficients,
                                                  const Eigen::Matrix3Xd& points_bohr,
                                                  const EngineOptions& options,
                                                  const jobs::Progress& progress) const = 0;

  /// sum_k weights[k] psi_k^2 at arbitrary points: n values.
  virtual Computed<Eigen::VectorXf> density_at(const molecules::Molecule& molecule,
                                               const molecules::BasisSet& basis,
                                               const Eigen::MatrixXd& coefficients,
                                               const Eigen::VectorXd& weights,
                                               const Eigen::Matrix3Xd& points_bohr,
                                               const EngineOptions& options,
                                               const jobs::Progress& progress) const = 0;
};

/// Separable-Gaussian engine on the CPU (Highway, TBB). float32 results.
std::unique_ptr<Engine> make_cpu_engine();

/// Plain loops in double precision; see reference_engine.h. For tests.
std::unique_ptr<Engine> make_reference_engine();

}  // namespace isolume::orbitals
