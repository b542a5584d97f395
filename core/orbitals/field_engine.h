#pragma once

#include <vector>

#include "core/orbitals/engine.h"
#include "core/orbitals/field_problem.h"

namespace isolume::orbitals {

/// An engine that computes all kinds of fields in one function: derived classes only fill memory that has been
/// checked and allocated. They are not called without points or columns.
class FieldEngine : public Engine {
 public:
  Computed<std::vector<FieldValues>> amplitudes(const molecules::Molecule& molecule,
                                                const molecules::BasisSet& basis,
                                                const Eigen::MatrixXd& coefficients, const grid::Grid& grid,
                                                const EngineOptions& options,
                                                const jobs::Progress& progress) const final;
  Computed<FieldValues> density(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                                const grid::Grid& grid, const EngineOptions& options,
                                const jobs::Progress& progress) const final;
  Computed<Eigen::MatrixXf> amplitudes_at(const molecules::Molecule& molecule,
                                          const molecules::BasisSet& basis,
                                          const Eigen::MatrixXd& coefficients,
                                          const Eigen::Matrix3Xd& points_bohr, const EngineOptions& options,
                                          const jobs::Progress& progress) const final;
  Computed<Eigen::VectorXf> density_at(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                       const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                                       const Eigen::Matrix3Xd& points_bohr, const EngineOptions& options,
                                       const jobs::Progress& progress) const final;

 protected:
  /// Writes every value of `fields[k]`, k < problem.field_count(). Throws as Engine's functions do; the content of
  /// the fields is then discarded.
  virtual dispatch::Report fill(const FieldProblem& problem, const std::vector<float*>& fields,
                                const EngineOptions& options, const jobs::Progress& progress) const = 0;
};

}  // namespace isolume::orbitals
