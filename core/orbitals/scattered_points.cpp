#include "core/orbitals/scattered_points.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/orbitals/primitive_groups.h"
#include "core/orbitals/separable_kernels.h"

namespace isolume::orbitals {
namespace {

using scattered::batch_points;
using scattered::Powers;

std::vector<Powers> kernel_powers(int angular_momentum) {
  std::vector<Powers> powers;
  for (const auto& [x, y, z] : molecules::cartesian_powers(angular_momentum)) {
    powers.push_back({static_cast<std::int8_t>(x), static_cast<std::int8_t>(y), static_cast<std::int8_t>(z)});
  }
  return powers;
}

const std::vector<Powers>& powers_of(int angular_momentum) {
  static const auto all = [] {
    std::array<std::vector<Powers>, molecules::max_angular_momentum + 1> made;
    for (int l = 0; l <= molecules::max_angular_momentum; ++l) made[l] = kernel_powers(l);
    return made;
  }();
  return all[angular_momentum];
}

/// The coefficients of all shells' monomials, spherical functions folded in.
Eigen::MatrixXd monomial_coefficients(const molecules::BasisSet& basis, const Eigen::MatrixXd& coefficients) {
  Eigen::Index rows = 0;
  for (const auto& shell : basis.shells) rows += powers_of(shell.angular_momentum).size();
  Eigen::MatrixXd folded(rows, coefficients.cols());
  Eigen::Index to = 0;
  Eigen::Index from = 0;
  for (const auto& shell : basis.shells) {
    const auto& transform = molecules::functions_to_monomials(shell);
    folded.middleRows(to, transform.cols()) =
        transform.transpose() * coefficients.middleRows(from, transform.rows());
    to += transform.cols();
    from += transform.rows();
  }
  return folded;
}

double volume_share(double exponent) {
  return 1 / (exponent * std::sqrt(exponent));
}

double distance_squared(const Eigen::Vector3d& low, const Eigen::Vector3d& high,
                        const Eigen::Vector3d& place) {
  return (low - place).cwiseMax(place - high).cwiseMax(0.0).squaredNorm();
}

}  // namespace

ScatteredPoints::ScatteredPoints(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                 const Eigen::MatrixXd& coefficients, const Eigen::VectorXd* weights,
                                 double tolerance)
    : columns_(static_cast<int>(coefficients.cols())) {
  check_shapes(molecule, basis, coefficients);
  const Eigen::MatrixXd folded = monomial_coefficients(basis, coefficients);
  const Eigen::VectorXd norms = row_norms(folded, weights);
  coefficients_.resize(folded.size());
  Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      coefficients_.data(), folded.rows(), folded.cols()) = folded.cast<float>();
  if (weights != nullptr) weights_.assign(weights->begin(), weights->end());
  for (const auto& atom : molecule.atoms) atoms_.push_back({atom.position_bohr, 0, {}});
  double shares = 0;
  for (const auto& shell : basis.shells) {
    for (const double exponent : shell.exponents) shares += volume_share(exponent);
  }
  std::int32_t first_row = 0;
  for (const auto& shell : basis.shells) {
    add_shell(shell, norms, first_row, tolerance / shares);
    first_row += static_cast<std::int32_t>(powers_of(shell.angular_momentum).size());
  }
}

void ScatteredPoints::add_shell(const molecules::Shell& shell, const Eigen::VectorXd& norms,
                                std::int32_t first_row, double tolerance_share) {
  Shell made{shell.angular_momentum, first_row, 0, {}};
  const auto& powers = powers_of(shell.angular_momentum);
  for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
    const double exponent = shell.exponents[p];
    const double coefficient =
        shell.coefficients[p] * molecules::primitive_norm(exponent, {shell.angular_momentum, 0, 0});
    RadialBound bound;
    bound.exponent = exponent;
    for (std::size_t m = 0; m < powers.size(); ++m) {
      bound.add(coefficient * norms[first_row + static_cast<std::int32_t>(m)], powers[m].x, powers[m].y,
                powers[m].z);
    }
    const double radius = bound.radius(tolerance_share * volume_share(exponent));
    if (radius < 0) continue;
    made.primitives.push_back(
        {static_cast<float>(exponent), static_cast<float>(coefficient), radius * radius});
    made.radius_squared = std::max(made.radius_squared, radius * radius);
  }
  if (made.primitives.empty()) return;
  auto& atom = atoms_[shell.atom];
  atom.radius_squared = std::max(atom.radius_squared, made.radius_squared);
  atom.shells.push_back(std::move(made));
}

void ScatteredPoints::collocate_atom(const AtomShells& atom, const Batch& points, double distance_squared,
                                     Scratch& scratch) const {
  alignas(64) std::array<std::array<float, batch_points>, 3> relative;
  for (int axis = 0; axis < 3; ++axis) {
    scattered::relative_places(points.col(axis).data(), atom.position[axis], relative[axis].data());
  }
  for (const auto& shell : atom.shells) {
    if (distance_squared > shell.radius_squared) continue;
    scratch.exponents.clear();
    scratch.coefficients.clear();
    for (const auto& primitive : shell.primitives) {
      if (distance_squared > primitive.radius_squared) continue;
      scratch.exponents.push_back(primitive.exponent);
      scratch.coefficients.push_back(primitive.coefficient);
    }
    const auto& powers = powers_of(shell.angular_momentum);
    const std::size_t filled = scratch.indices.size() * batch_points;
    scratch.rows.resize(filled + powers.size() * batch_points);
    scattered::fill_shell_rows({relative[0].data(), relative[1].data(), relative[2].data(), scratch.exponents,
                                scratch.coefficients, powers, scratch.rows.data() + filled});
    for (std::size_t m = 0; m < powers.size(); ++m) {
      scratch.indices.push_back(shell.first_row + static_cast<std::int32_t>(m));
    }
  }
}

void ScatteredPoints::collocate(const Batch& points, Scratch& scratch) const {
  const Eigen::Vector3d low = points.colwise().minCoeff().transpose();
  const Eigen::Vector3d high = points.colwise().maxCoeff().transpose();
  scratch.indices.clear();
  scratch.rows.clear();
  for (const auto& atom : atoms_) {
    const double distance = distance_squared(low, high, atom.position);
    if (distance <= atom.radius_squared) collocate_atom(atom, points, distance, scratch);
  }
}

scattered::ProductJob ScatteredPoints::product(const Scratch& scratch) const {
  return {scratch.indices, scratch.rows.data(), coefficients_.data(), columns_};
}

void ScatteredPoints::amplitudes(const Batch& points, Scratch& scratch) const {
  const separable::DenormalsAsZero denormals_as_zero;
  collocate(points, scratch);
  scratch.values.resize(static_cast<std::size_t>(columns_) * batch_points);
  scattered::multiply_rows(product(scratch), scratch.values.data());
}

void ScatteredPoints::density(const Batch& points, Scratch& scratch) const {
  const separable::DenormalsAsZero denormals_as_zero;
  collocate(points, scratch);
  scratch.values.resize(batch_points);
  scattered::sum_squares(product(scratch), weights_.data(), scratch.values.data());
}

}  // namespace isolume::orbitals
