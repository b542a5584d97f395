#pragma once

#include <cstddef>

#include <Eigen/Core>

#include "core/grid/grid.h"
#include "core/molecules/wavefunction.h"

namespace isolume::orbitals {

/// A field and the points at which to compute it: the common form of all entry points of an engine. References must
/// outlive everything made from it.
struct FieldProblem {
  const molecules::Molecule& molecule;
  const molecules::BasisSet& basis;
  const Eigen::MatrixXd& coefficients;            ///< functions x K
  const Eigen::VectorXd* weights = nullptr;       ///< null: K amplitudes; else one field sum_k w_k psi_k^2
  const grid::Grid* grid = nullptr;               ///< either a grid,
  const Eigen::Matrix3Xd* points_bohr = nullptr;  ///< or scattered points (3 x n)
  double screening = 1e-7;                        ///< as EngineOptions::screening

  int field_count() const { return weights != nullptr ? 1 : static_cast<int>(coefficients.cols()); }
  std::size_t point_count() const {
    return grid != nullptr ? grid->point_count() : static_cast<std::size_t>(points_bohr->cols());
  }
};

}  // namespace isolume::orbitals
