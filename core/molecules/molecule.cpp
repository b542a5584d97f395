#include "core/molecules/molecule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "core/base/units.h"
#include "core/molecules/element.h"

namespace isolume::molecules {
namespace {

using Cell = std::array<std::int64_t, 3>;

struct CellHash {
  std::size_t operator()(const Cell& cell) const {
    std::uint64_t hash = 0;
    for (const std::int64_t part : cell) {
      hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

double radius_bohr(const Atom& atom) {
  return element(atom.atomic_number).covalent_radius_angstrom * units::bohr_per_angstrom;
}

}  // namespace

Box nuclei_box(const Molecule& molecule) {
  Box box;
  if (molecule.atoms.empty()) return box;
  box.low_bohr = box.high_bohr = molecule.atoms.front().position_bohr;
  for (const Atom& atom : molecule.atoms) {
    box.low_bohr = box.low_bohr.cwiseMin(atom.position_bohr);
    box.high_bohr = box.high_bohr.cwiseMax(atom.position_bohr);
  }
  return box;
}

std::vector<std::pair<int, int>> find_bonds(const Molecule& molecule) {
  constexpr double tolerance = 1.2;
  constexpr double coincident_bohr = 0.1;  // coincident atoms are a ghost or a mistake, not bonded
  constexpr double farthest_bohr = 1e12;   // beyond it a cell index would overflow

  double largest = 0;
  for (const Atom& atom : molecule.atoms) largest = std::max(largest, radius_bohr(atom));
  const double cell_size = 2 * tolerance * largest;
  if (cell_size <= 0) return {};

  const auto cell_of = [cell_size](const Eigen::Vector3d& place) {
    Cell cell;
    for (int axis = 0; axis < 3; ++axis) {
      cell[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(std::floor(place[axis] / cell_size));
    }
    return cell;
  };

  std::unordered_map<Cell, std::vector<int>, CellHash> cells;
  std::vector<std::pair<int, int>> bonds;
  for (int second = 0; second < static_cast<int>(molecule.atoms.size()); ++second) {
    const Atom& atom = molecule.atoms[static_cast<std::size_t>(second)];
    if (atom.atomic_number <= 0 || !(atom.position_bohr.cwiseAbs().maxCoeff() < farthest_bohr)) continue;
    const Cell home = cell_of(atom.position_bohr);
    for (int neighbour = 0; neighbour < 27; ++neighbour) {
      const Cell cell{home[0] + neighbour % 3 - 1, home[1] + neighbour / 3 % 3 - 1,
                      home[2] + neighbour / 9 - 1};
      const auto found = cells.find(cell);
      if (found == cells.end()) continue;
      for (const int first : found->second) {
        const Atom& other = molecule.atoms[static_cast<std::size_t>(first)];
        const double distance = (atom.position_bohr - other.position_bohr).norm();
        if (distance > coincident_bohr && distance < tolerance * (radius_bohr(atom) + radius_bohr(other))) {
          bonds.emplace_back(first, second);
        }
      }
    }
    cells[home].push_back(second);
  }
  std::sort(bonds.begin(), bonds.end());
  return bonds;
}

}  // namespace isolume::molecules
