#include "app/stage/ball_and_stick.h"

#include <cmath>
#include <map>
#include <numbers>

#include <Eigen/Geometry>

#include "core/base/units.h"
#include "core/molecules/element.h"

namespace isolume::stage {
namespace {

using Eigen::Vector3d;

constexpr int around = 24;  ///< sides of a stick, and meridians of a ball
constexpr double stick_radius_angstrom = 0.09;
constexpr double ball_part = 0.22;  ///< fraction of the van der Waals radius
constexpr std::uint32_t grey = 0x9a9a9a;

void add_point(surfaces::Mesh& mesh, const Vector3d& point, const Vector3d& normal) {
  for (int c = 0; c < 3; ++c) {
    mesh.points.push_back(static_cast<float>(point[c]));
    mesh.normals.push_back(static_cast<float>(normal[c]));
  }
}

/// Joins neighbouring rows of `around` + 1 points, the first of which starts at vertex `first`, by triangles.
void join_rows(surfaces::Mesh& mesh, std::uint32_t first, std::uint32_t rows) {
  constexpr std::uint32_t length = around + 1;
  for (std::uint32_t row = 0; row + 1 < rows; ++row) {
    for (std::uint32_t i = 0; i + 1 < length; ++i) {
      const std::uint32_t a = first + row * length + i, b = a + length;
      mesh.triangles.insert(mesh.triangles.end(), {a, a + 1, b, a + 1, b + 1, b});
    }
  }
}

double turn_of(int part) {
  return 2 * std::numbers::pi * part / around;
}

void add_ball(surfaces::Mesh& mesh, const Vector3d& centre, double radius) {
  const auto first = static_cast<std::uint32_t>(mesh.point_count());
  constexpr int rows = around / 2 + 1;
  for (int row = 0; row < rows; ++row) {
    const double down = std::numbers::pi * row / (rows - 1);
    for (int i = 0; i <= around; ++i) {
      const Vector3d normal(std::sin(down) * std::cos(turn_of(i)), std::sin(down) * std::sin(turn_of(i)),
                            std::cos(down));
      add_point(mesh, centre + radius * normal, normal);
    }
  }
  join_rows(mesh, first, rows);
}

void add_stick(surfaces::Mesh& mesh, const Vector3d& from, const Vector3d& to) {
  const auto first = static_cast<std::uint32_t>(mesh.point_count());
  const Vector3d along = (to - from).normalized(), u = along.unitOrthogonal(), v = along.cross(u);
  for (const Vector3d& end : {from, to}) {
    for (int i = 0; i <= around; ++i) {
      const Vector3d normal = std::cos(turn_of(i)) * u + std::sin(turn_of(i)) * v;
      add_point(mesh, end + stick_radius_angstrom * normal, normal);
    }
  }
  join_rows(mesh, first, 2);
}

}  // namespace

std::vector<ColouredMesh> ball_and_stick(const molecules::Molecule& molecule) {
  std::map<int, ColouredMesh> elements;
  for (const molecules::Atom& atom : molecule.atoms) {
    const molecules::Element& element = molecules::element(atom.atomic_number);
    ColouredMesh& balls = elements[atom.atomic_number];
    const auto& [red, green, blue] = element.colour;
    balls.colour = static_cast<std::uint32_t>(red << 16 | green << 8 | blue);
    add_ball(balls.mesh, units::angstrom_per_bohr * atom.position_bohr,
             ball_part * element.van_der_waals_radius_angstrom);
  }
  std::vector<ColouredMesh> all;
  for (auto& [number, balls] : elements) all.push_back(std::move(balls));
  ColouredMesh sticks{.mesh = {}, .colour = grey};
  for (const auto& [a, b] : molecules::find_bonds(molecule)) {
    add_stick(sticks.mesh,
              units::angstrom_per_bohr * molecule.atoms[static_cast<std::size_t>(a)].position_bohr,
              units::angstrom_per_bohr * molecule.atoms[static_cast<std::size_t>(b)].position_bohr);
  }
  all.push_back(std::move(sticks));
  return all;
}

}  // namespace isolume::stage
