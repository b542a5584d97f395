#include "core/molecules/geometry.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/molecules/element.h"

namespace isolume::molecules {
namespace {

using Eigen::Vector3d;

constexpr double degrees_per_radian = 180 / std::numbers::pi;

void check(const Molecule& molecule, std::span<const int> atoms) {
  const auto count = static_cast<int>(molecule.atoms.size());
  if (atoms.empty() || atoms.size() > 4) {
    throw Error(fmt::format("1 to 4 atoms can be measured, not {}.", atoms.size()));
  }
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (atoms[i] < 0 || atoms[i] >= count) {
      throw Error(fmt::format("There is no atom {}; the molecule has {}.", atoms[i] + 1, count));
    }
    if (std::ranges::count(atoms, atoms[i]) > 1) {
      throw Error(fmt::format("Atom {} was named twice.", atoms[i] + 1));
    }
  }
}

/// With one decimal, and no minus before zero and 180.
std::string degrees_text(double degrees) {
  if (!std::isfinite(degrees)) return "undefined (the atoms lie on a line)";
  double rounded = std::round(10 * degrees) / 10 + 0.0;
  if (rounded == -180) rounded = 180;
  return fmt::format("{:.1f}°", rounded);
}

}  // namespace

double angle_degrees(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const Vector3d first = a - b;
  const Vector3d second = c - b;
  if (first.norm() == 0 || second.norm() == 0) return std::nan("");
  return std::atan2(first.cross(second).norm(), first.dot(second)) * degrees_per_radian;
}

double dihedral_degrees(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  const Vector3d axis = c - b;
  const Vector3d first = (b - a).cross(axis);
  const Vector3d second = axis.cross(d - c);
  constexpr double on_a_line = 1e-6;
  if (first.norm() <= on_a_line * (b - a).norm() * axis.norm() ||
      second.norm() <= on_a_line * (d - c).norm() * axis.norm()) {
    return std::nan("");
  }
  return std::atan2(axis.norm() * (b - a).dot(second), first.dot(second)) * degrees_per_radian;
}

std::string atom_label(const Molecule& molecule, int atom) {
  const auto& found = molecule.atoms.at(static_cast<std::size_t>(atom));
  return fmt::format("{}{}", element(found.atomic_number).symbol, atom + 1);
}

std::string measure(const Molecule& molecule, std::span<const int> atoms) {
  check(molecule, atoms);
  const auto place = [&](std::size_t i) -> const Vector3d& {
    return molecule.atoms[static_cast<std::size_t>(atoms[i])].position_bohr;
  };
  std::string name;
  for (const int atom : atoms) name += (name.empty() ? "" : "–") + atom_label(molecule, atom);
  switch (atoms.size()) {
    case 1:
      return fmt::format("{} ({})", name,
                         element(molecule.atoms[static_cast<std::size_t>(atoms[0])].atomic_number).name);
    case 2:
      return fmt::format("{}: {:.3f} Å", name, (place(1) - place(0)).norm() * units::angstrom_per_bohr);
    case 3:
      return fmt::format("{}: {}", name, degrees_text(angle_degrees(place(0), place(1), place(2))));
    default:
      return fmt::format("{}: {}", name,
                         degrees_text(dihedral_degrees(place(0), place(1), place(2), place(3))));
  }
}

}  // namespace isolume::molecules
