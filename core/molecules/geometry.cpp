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

void check(const Molecule& molecule, std::span<const int> atoms, std::size_t least) {
  const auto count = static_cast<int>(molecule.atoms.size());
  if (atoms.size() < least || atoms.size() > 4) {
    throw Error(fmt::format("{} to 4 atoms can be measured, not {}.", least, atoms.size()));
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

/// With one decimal, and without a minus sign for 0 and 180.
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

std::string Measurement::text() const {
  return is_distance ? fmt::format("{:.3f} Å", value) : degrees_text(value);
}

Measurement measurement(const Molecule& molecule, std::span<const int> atoms) {
  check(molecule, atoms, 2);
  const auto place = [&](std::size_t i) -> const Vector3d& {
    return molecule.atoms[static_cast<std::size_t>(atoms[i])].position_bohr;
  };
  if (atoms.size() == 2) return {(place(1) - place(0)).norm() * units::angstrom_per_bohr, true};
  if (atoms.size() == 3) return {angle_degrees(place(0), place(1), place(2)), false};
  return {dihedral_degrees(place(0), place(1), place(2), place(3)), false};
}

std::string measure(const Molecule& molecule, std::span<const int> atoms) {
  check(molecule, atoms, 1);
  std::string name;
  for (const int atom : atoms) name += (name.empty() ? "" : "–") + atom_label(molecule, atom);
  if (atoms.size() > 1) return fmt::format("{}: {}", name, measurement(molecule, atoms).text());
  const int number = molecule.atoms[static_cast<std::size_t>(atoms[0])].atomic_number;
  return fmt::format("{} ({})", name, element(number).name);
}

}  // namespace isolume::molecules
