#include "core/orbitals/reference_engine.h"

#include <cmath>

#include "core/orbitals/engine.h"

namespace isolume::orbitals {
namespace {

/// sum_p c_p N_l(a_p) exp(-a_p r^2)
double radial_part(const molecules::Shell& shell, double distance_squared) {
  double sum = 0;
  for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
    const double norm = molecules::primitive_norm(shell.exponents[p], {shell.angular_momentum, 0, 0});
    sum += shell.coefficients[p] * norm * std::exp(-shell.exponents[p] * distance_squared);
  }
  return sum;
}

Eigen::VectorXd monomials(int angular_momentum, const Eigen::Vector3d& place) {
  const auto& powers = molecules::cartesian_powers(angular_momentum);
  Eigen::VectorXd values(powers.size());
  for (std::size_t m = 0; m < powers.size(); ++m) {
    values[m] = std::pow(place.x(), powers[m].x) * std::pow(place.y(), powers[m].y) *
                std::pow(place.z(), powers[m].z);
  }
  return values;
}

Eigen::VectorXd functions_at(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                             const Eigen::Vector3d& point) {
  Eigen::VectorXd values(basis.function_count());
  Eigen::Index first = 0;
  for (const auto& shell : basis.shells) {
    const Eigen::Vector3d place = point - molecule.atoms.at(shell.atom).position_bohr;
    values.segment(first, shell.function_count()) = radial_part(shell, place.squaredNorm()) *
                                                    molecules::functions_to_monomials(shell) *
                                                    monomials(shell.angular_momentum, place);
    first += shell.function_count();
  }
  return values;
}

class ReferenceEngine final : public Engine {
 public:
  std::string_view name() const override { return "reference"; }
  std::string description(int) const override {
    return "Reference, plain loops in double precision, one thread";
  }

  Computed<std::vector<FieldValues>> amplitudes(const molecules::Molecule& molecule,
                                                const molecules::BasisSet& basis,
                                                const Eigen::MatrixXd& coefficients, const grid::Grid& grid,
                                                const EngineOptions&,
                                                const jobs::Progress& progress) const override {
    const Eigen::MatrixXd all =
        reference_amplitudes(molecule, basis, coefficients, grid_points(grid), progress);
    std::vector<FieldValues> fields(all.cols());
    for (Eigen::Index k = 0; k < all.cols(); ++k) fields[k].assign(all.col(k).begin(), all.col(k).end());
    return {std::move(fields), report()};
  }

  Computed<FieldValues> density(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                                const grid::Grid& grid, const EngineOptions& options,
                                const jobs::Progress& progress) const override {
    const auto [values, report] =
        density_at(molecule, basis, coefficients, weights, grid_points(grid), options, progress);
    return {FieldValues(values.begin(), values.end()), report};
  }

  Computed<Eigen::MatrixXf> amplitudes_at(const molecules::Molecule& molecule,
                                          const molecules::BasisSet& basis,
                                          const Eigen::MatrixXd& coefficients, const Eigen::Matrix3Xd& points,
                                          const EngineOptions&,
                                          const jobs::Progress& progress) const override {
    return {reference_amplitudes(molecule, basis, coefficients, points, progress).cast<float>(), report()};
  }

  Computed<Eigen::VectorXf> density_at(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                       const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                                       const Eigen::Matrix3Xd& points, const EngineOptions&,
                                       const jobs::Progress& progress) const override {
    const Eigen::MatrixXd all = reference_amplitudes(molecule, basis, coefficients, points, progress);
    return {(all.cwiseAbs2() * weights).cast<float>(), report()};
  }

 private:
  dispatch::Report report() const { return {.who = description(0)}; }
};

}  // namespace

Eigen::Matrix3Xd grid_points(const grid::Grid& grid) {
  Eigen::Matrix3Xd points(3, grid.point_count());
  Eigen::Index n = 0;
  for (int k = 0; k < grid.dimensions[2]; ++k) {
    for (int j = 0; j < grid.dimensions[1]; ++j) {
      for (int i = 0; i < grid.dimensions[0]; ++i) points.col(n++) = grid.position(i, j, k);
    }
  }
  return points;
}

Eigen::MatrixXd reference_amplitudes(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                     const Eigen::MatrixXd& coefficients, const Eigen::Matrix3Xd& points_bohr,
                                     const jobs::Progress& progress) {
  Eigen::MatrixXd amplitudes(points_bohr.cols(), coefficients.cols());
  for (Eigen::Index n = 0; n < points_bohr.cols(); ++n) {
    if (n % 256 == 0) {
      progress.check();
      progress.report(static_cast<double>(n) / points_bohr.cols(), "reference field");
    }
    amplitudes.row(n) = functions_at(molecule, basis, points_bohr.col(n)).transpose() * coefficients;
  }
  return amplitudes;
}

std::unique_ptr<Engine> make_reference_engine() {
  return std::make_unique<ReferenceEngine>();
}

}  // namespace isolume::orbitals
