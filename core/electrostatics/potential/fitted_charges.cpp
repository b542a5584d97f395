#include "core/electrostatics/potential/fitted_charges.h"

#include <array>
#include <cmath>
#include <numbers>

#include <Eigen/QR>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/molecules/element.h"

namespace isolume::electrostatics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Sphere {
  Vector3d centre;  ///< angstrom
  double radius;
};

std::vector<Sphere> van_der_waals_spheres(const molecules::Molecule& molecule) {
  const double angstrom = grid::shown_per_unit(grid::LengthUnit::bohr);
  std::vector<Sphere> spheres;
  for (const auto& atom : molecule.atoms) {
    if (atom.nuclear_charge != 0)
      spheres.push_back({angstrom * atom.position_bohr,
                         molecules::element(atom.atomic_number).van_der_waals_radius_angstrom});
  }
  return spheres;
}

/// Points on a unit sphere with about equal area each: a golden-angle spiral.
Vector3d on_spiral(std::size_t number, std::size_t count) {
  const double z = 1 - (2 * static_cast<double>(number) + 1) / static_cast<double>(count);
  const double angle = std::numbers::pi * (3 - std::sqrt(5.0)) * static_cast<double>(number);
  const double across = std::sqrt(1 - z * z);
  return {across * std::cos(angle), across * std::sin(angle), z};
}

}  // namespace

Places shells_around(const molecules::Molecule& molecule, double density) {
  Places places;
  const auto spheres = van_der_waals_spheres(molecule);
  for (const double factor : {1.4, 1.6, 1.8, 2.0}) {
    for (std::size_t a = 0; a < spheres.size(); ++a) {
      const double radius = factor * spheres[a].radius;
      const auto count =
          static_cast<std::size_t>(std::ceil(4 * std::numbers::pi * radius * radius * density));
      for (std::size_t i = 0; i < count; ++i) {
        const Vector3d place = spheres[a].centre + radius * on_spiral(i, count);
        bool is_free = true;
        for (std::size_t b = 0; b < spheres.size() && is_free; ++b) {
          const double other = factor * spheres[b].radius;
          is_free = b == a || (place - spheres[b].centre).squaredNorm() >= other * other;
        }
        if (!is_free) continue;
        places.x.push_back(place.x());
        places.y.push_back(place.y());
        places.z.push_back(place.z());
      }
    }
  }
  return places;
}

FittedCharges fit_charges(const molecules::Molecule& molecule, const Places& places,
                          const std::vector<double>& potential, double total_charge) {
  const double angstrom = grid::shown_per_unit(grid::LengthUnit::bohr);
  std::vector<Eigen::Index> nuclei;
  for (std::size_t a = 0; a < molecule.atoms.size(); ++a) {
    if (molecule.atoms[a].nuclear_charge != 0) nuclei.push_back(static_cast<Eigen::Index>(a));
  }
  const auto points = static_cast<Eigen::Index>(places.size()),
             count = static_cast<Eigen::Index>(nuclei.size());
  if (count == 0) throw Error("There is no nucleus to fit a charge to.");
  if (points < count) {
    throw Error(
        fmt::format("There are {} points for the charges of {} atoms. Give more points.", points, count));
  }
  dispatch::require_memory(fmt::format("A fit of {} charges at {} points", count, points),
                           2 * static_cast<std::size_t>(points * count) * sizeof(double),
                           "Take fewer points.");
  // Charges = total / count for all, plus changes that sum to zero: independent ones for all but the last atom, which
  // takes the opposite of their sum.
  MatrixXd inverse(points, count);
  for (Eigen::Index i = 0; i < points; ++i) {
    const auto n = static_cast<std::size_t>(i);
    const Vector3d place = Vector3d(places.x[n], places.y[n], places.z[n]) / angstrom;
    for (Eigen::Index j = 0; j < count; ++j) {
      inverse(i, j) =
          1 / (place -
               molecule.atoms[static_cast<std::size_t>(nuclei[static_cast<std::size_t>(j)])].position_bohr)
                  .norm();
    }
  }
  if (!inverse.allFinite()) throw Error("A point lies at a nucleus. Give points around the molecule.");
  const Eigen::Map<const VectorXd> wanted(potential.data(), points);
  VectorXd fitted = VectorXd::Constant(count, total_charge / static_cast<double>(count));
  if (count > 1) {
    const MatrixXd changes = inverse.leftCols(count - 1).colwise() - inverse.col(count - 1);
    const Eigen::ColPivHouseholderQR<MatrixXd> solver(changes);
    if (solver.rank() < count - 1)
      throw Error("Two nuclei are at the same position: their charges cannot be determined.");
    const VectorXd change = solver.solve(wanted - inverse * fitted);
    fitted.head(count - 1) += change;
    fitted[count - 1] -= change.sum();
  }
  FittedCharges found{.charges = VectorXd::Zero(static_cast<Eigen::Index>(molecule.atoms.size())),
                      .points = places.size()};
  for (Eigen::Index j = 0; j < count; ++j) found.charges[nuclei[static_cast<std::size_t>(j)]] = fitted[j];
  found.rms_hartree_per_e = (inverse * fitted - wanted).norm() / std::sqrt(static_cast<double>(points));
  const double size = wanted.norm();
  found.relative_rms = size > 0 ? (inverse * fitted - wanted).norm() / size : 0;
  return found;
}

}  // namespace isolume::electrostatics
