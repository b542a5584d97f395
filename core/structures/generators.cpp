#include "core/structures/generators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/base/resources.h"
#include "core/molecules/element.h"
#include "core/structures/hydrogens.h"
#include "core/structures/prepare.h"
#include "core/structures/residue_tables.h"

namespace isolume::structures {
namespace {

using Eigen::Vector3d;

constexpr std::size_t most_atoms = 1'000'000'000;

void require_atoms(double count) {
  if (count < 1 || count > static_cast<double>(most_atoms))
    throw Error(fmt::format("These would be {:.0f} atoms. Ask for 1 to {}.", count, most_atoms));
}

ParameterTable amber_table() {
  return read_parameters(resource("charges/amber.csv"));
}

/// An ion of a crystal's cell, in fractional coordinates.
struct LatticeIon {
  std::string name;
  Vector3d place;
};

Charges crystal(const std::vector<LatticeIon>& ions, double edge, int cells, const jobs::Progress& progress) {
  require_atoms(std::pow(cells, 3) * static_cast<double>(ions.size()));
  const auto table = amber_table();
  Charges charges;
  int number = 0;
  for (int i = 0; i < cells; ++i) {
    progress.check();
    for (int j = 0; j < cells; ++j)
      for (int k = 0; k < cells; ++k)
        for (const auto& [name, place] : ions) {
          const auto& [charge, radius] = table.at(name).at(name);
          add_atom(charges, edge * (Vector3d(i, j, k) + place), charge, radius,
                   {name, name, {}, ++number, ' ', true, molecules::atomic_number(name)});
        }
  }
  charges.cell = Eigen::Matrix3d::Identity() * (edge * cells);
  return charges;
}

/// A uniformly distributed random rotation (Shoemake, Graphics Gems III, 1992).
Eigen::Quaterniond random_turn(Random& random) {
  const double u = random.uniform(), v = 2 * std::numbers::pi * random.uniform(),
               w = 2 * std::numbers::pi * random.uniform();
  return {std::sqrt(u) * std::cos(w), std::sqrt(1 - u) * std::sin(v), std::sqrt(1 - u) * std::cos(v),
          std::sqrt(u) * std::sin(w)};
}

/// Cubic cells, in nearly equal numbers along each axis, which hold all molecules, one each; and their edge.
struct WaterLattice {
  explicit WaterLattice(std::size_t molecules) {
    const auto count = static_cast<double>(molecules);
    const auto side = static_cast<std::size_t>(std::lround(std::cbrt(count)));
    cells = {side, side, (molecules + side * side - 1) / (side * side)};
    edge = std::cbrt(count / static_cast<double>(site_count()) / water_density);
  }
  std::size_t site_count() const { return cells[0] * cells[1] * cells[2]; }
  /// In units of an edge.
  Vector3d middle(std::size_t site) const {
    return Vector3d(static_cast<double>(site % cells[0]), static_cast<double>(site / cells[0] % cells[1]),
                    static_cast<double>(site / cells[0] / cells[1])) +
           Vector3d::Constant(0.5);
  }
  std::array<std::size_t, 3> cells{};
  double edge = 0;
};

}  // namespace

Charges sodium_chloride(int cells, const jobs::Progress& progress) {
  std::vector<LatticeIon> ions;
  for (int at = 0; at < 8; ++at) {
    const Vector3d place(at & 1, at >> 1 & 1, at >> 2 & 1);
    ions.push_back({static_cast<int>(place.sum()) % 2 == 0 ? "NA" : "CL", place / 2});
  }
  return crystal(ions, sodium_chloride_edge, cells, progress);
}

Charges caesium_chloride(int cells, const jobs::Progress& progress) {
  return crystal({{"CS", Vector3d::Zero()}, {"CL", Vector3d::Constant(0.5)}}, caesium_chloride_edge, cells,
                 progress);
}

Charges water_box(std::size_t molecules, std::uint64_t seed, const jobs::Progress& progress) {
  require_atoms(3 * static_cast<double>(molecules));
  const WaterLattice lattice(molecules);
  constexpr double length = 0.9572, half_angle = 104.52 / 2 * radians_per_degree;
  const double reach = length * std::sin(half_angle), height = length * std::cos(half_angle);
  // Relative to the midpoint of the hydrogens, all atoms lie within `reach`: molecules at this distance cannot touch.
  const std::array<Vector3d, 3> atoms{Vector3d(0, height, 0), Vector3d(reach, 0, 0), Vector3d(-reach, 0, 0)};
  const double shift = std::min(0.25, (lattice.edge - 2 * reach - least_water_distance) / 2);
  const auto table = amber_table();
  const std::array<std::string, 3> names{"O", "H1", "H2"};
  std::array<AtomParameters, 3> parameters;
  for (std::size_t i = 0; i < 3; ++i) parameters[i] = table.at("HOH").at(names[i]);
  Charges charges;
  for (std::size_t molecule = 0; molecule < molecules; ++molecule) {
    if (molecule % 4096 == 0) {
      progress.check();
      progress.report(static_cast<double>(molecule) / static_cast<double>(molecules), "placing water");
    }
    Random random(seed, molecule);
    const auto turn = random_turn(random);
    // Empty cells are distributed evenly.
    Vector3d middle = lattice.edge * lattice.middle(molecule * lattice.site_count() / molecules);
    for (int axis = 0; axis < 3; ++axis) middle[axis] += shift * (2 * random.uniform() - 1);
    for (std::size_t i = 0; i < 3; ++i)
      add_atom(charges, middle + turn * atoms[i], parameters[i].charge, parameters[i].radius,
               {names[i], "HOH", {}, static_cast<int>(molecule + 1), ' ', true, i == 0 ? 8 : 1});
  }
  charges.cell =
      (lattice.edge * Vector3d(static_cast<double>(lattice.cells[0]), static_cast<double>(lattice.cells[1]),
                               static_cast<double>(lattice.cells[2])))
          .asDiagonal();
  return charges;
}

Charges alanine_helix(int residues, const jobs::Progress& progress) {
  if (residues < 2 || residues > 10000)
    throw Error(fmt::format("A helix of {} residues cannot be built. Ask for 2 to 10000.", residues));
  constexpr double degree = radians_per_degree, phi = -57.8 * degree, psi = -47.0 * degree,
                   half_turn = std::numbers::pi;
  Vector3d n(0, 0, 0), ca(1.458, 0, 0);
  Vector3d c = at_angles(ca, n, Vector3d(0, 1, 0), 1.525, 111.2 * degree, 0);
  Structure structure;
  for (int number = 1; number <= residues; ++number) {
    const Vector3d to_n = (n - ca).normalized(), to_c = (c - ca).normalized();
    constexpr double half = 109.5 / 2 * degree;
    const Vector3d cb = ca + 1.521 * (std::sin(half) * to_n.cross(to_c).normalized() -
                                      std::cos(half) * (to_n + to_c).normalized());
    const Vector3d o = at_angles(c, ca, n, 1.231, 120.8 * degree, psi + half_turn);
    structure.residues.push_back({"ALA",
                                  "A",
                                  number,
                                  ' ',
                                  false,
                                  0,
                                  {{"N", 7, n}, {"CA", 6, ca}, {"C", 6, c}, {"O", 8, o}, {"CB", 6, cb}}});
    const Vector3d next_n = at_angles(c, ca, n, 1.329, 116.2 * degree, psi);
    const Vector3d next_ca = at_angles(next_n, c, ca, 1.458, 121.7 * degree, half_turn);
    const Vector3d next_c = at_angles(next_ca, next_n, c, 1.525, 111.2 * degree, phi);
    n = next_n, ca = next_ca, c = next_c;
  }
  return prepare(structure, {}, progress).charges;
}

Charges neutral_gas(std::size_t count, double edge_angstrom, std::uint64_t seed) {
  require_atoms(static_cast<double>(count));
  if (count % 2 != 0)
    throw Error(fmt::format("{} charges of +1 and -1 e are not neutral. Ask for an even number.", count));
  Charges charges;
  for (std::size_t i = 0; i < count; ++i) {
    Random random(seed, i);
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    const bool positive = i % 2 == 0;
    add_atom(charges, edge_angstrom * Vector3d(x, y, z), positive ? 1 : -1, 1,
             {positive ? "P" : "M", "ION", {}, static_cast<int>(i + 1), ' ', true, 0});
  }
  charges.cell = Eigen::Matrix3d::Identity() * edge_angstrom;
  return charges;
}

}  // namespace isolume::structures
