#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "core/base/field_values.h"
#include "core/molecules/wavefunction.h"
#include "core/orbitals/scattered_kernels.h"

/// Fields at points in any order: rotated grids, surfaces, probes. For each batch of neighbouring points the
/// values of the functions that extend to it (a collocation matrix, functions x points) are multiplied by the
/// coefficients of all columns. Functions are monomials times contracted radial parts; spherical ones are folded into
/// the coefficients.
///
/// Screening: as in separable_terms.h, with one bound per primitive instead of per term: amplitudes have an error of
/// at most e, quadratic fields of at most 2 e sqrt(sum_k |w_k| psi_k^2) + e^2, apart from rounding.
namespace isolume::orbitals {

class ScatteredPoints {
 public:
  /// `weights`: null for amplitudes, else those of the quadratic field.
  ScatteredPoints(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                  const Eigen::MatrixXd& coefficients, const Eigen::VectorXd* weights, double tolerance);

  int column_count() const { return columns_; }

  /// Working memory of one thread.
  struct Scratch {
    std::vector<std::int32_t> indices;
    std::vector<float> exponents;
    std::vector<float> coefficients;
    std::vector<float, UninitialisedAllocator<float>> rows;
    std::vector<float, UninitialisedAllocator<float>> values;  ///< the results
  };
  using Batch = Eigen::Matrix<double, scattered::batch_points, 3>;

  /// Fills `scratch.values` with columns x batch_points amplitudes.
  void amplitudes(const Batch& points, Scratch& scratch) const;
  /// Fills `scratch.values` with batch_points values of the quadratic field.
  void density(const Batch& points, Scratch& scratch) const;

 private:
  struct Primitive {
    float exponent;
    float coefficient;
    double radius_squared;  ///< beyond it the primitive is ignored
  };
  struct Shell {
    int angular_momentum;
    std::int32_t first_row;  ///< in `coefficients_`
    double radius_squared;
    std::vector<Primitive> primitives;
  };
  struct AtomShells {
    Eigen::Vector3d position;
    double radius_squared = 0;
    std::vector<Shell> shells;
  };

  void add_shell(const molecules::Shell& shell, const Eigen::VectorXd& row_norms, std::int32_t first_row,
                 double tolerance_share);
  /// Rows of all functions that extend to the batch.
  void collocate(const Batch& points, Scratch& scratch) const;
  void collocate_atom(const AtomShells& atom, const Batch& points, double distance_squared,
                      Scratch& scratch) const;
  scattered::ProductJob product(const Scratch& scratch) const;

  int columns_ = 0;
  std::vector<AtomShells> atoms_;
  std::vector<float> coefficients_;  ///< monomials x K, row by row
  std::vector<float> weights_;
};

}  // namespace isolume::orbitals
