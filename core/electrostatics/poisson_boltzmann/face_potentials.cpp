#include "core/electrostatics/poisson_boltzmann/face_potentials.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/electrostatics/potential.h"

namespace isolume::electrostatics {
namespace {

/// The two faces across an axis, of which `low` and `high` are the potentials.
struct Pair {
  lattice::ScalarField low, high;
};

/// One face as a lattice, with x and y exchanged for those across x: sums go along rows of x.
lattice::Lattice face_of(const lattice::Lattice& lattice, std::size_t axis, int at) {
  lattice::Lattice face = lattice;
  face.origin[static_cast<Eigen::Index>(axis)] = lattice.point(at, at, at)[static_cast<Eigen::Index>(axis)];
  face.dimensions[axis] = 1;
  if (axis == 0) {
    std::swap(face.origin.x(), face.origin.y());
    std::swap(face.step(0, 0), face.step(1, 1));
    std::swap(face.dimensions[0], face.dimensions[1]);
  }
  return face;
}

}  // namespace

std::vector<double> debye_hueckel_faces(const lattice::Lattice& lattice, const structures::Charges& charges,
                                        const PotentialOptions& options, double permittivity,
                                        double salt_molar, const jobs::Progress& progress) {
  PotentialOptions how = options;
  how.method = Method::debye_hueckel;
  how.unit = PotentialUnit::kt_per_e;
  how.solvent_dielectric = permittivity;
  how.salt_molar = salt_molar;
  static_cast<dispatch::ComputeOptions&>(how) = {.threads = options.threads};
  how.engines = nullptr;  // so that a solution does not depend on them
  structures::Charges exchanged = charges;
  std::swap(exchanged.x, exchanged.y);
  const auto& n = lattice.dimensions;
  std::array<Pair, 3> faces;
  const jobs::Progress silent = progress.part(0, 0);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const structures::Charges& seen = axis == 0 ? exchanged : charges;
    faces[axis] = {potential_on(face_of(lattice, axis, 0), seen, how, silent).values,
                   potential_on(face_of(lattice, axis, n[axis] - 1), seen, how, silent).values};
  }
  const Extents e{n[0], n[1], n[2]};
  std::vector<double> values;
  values.reserve(face_points(e));
  for_faces(e, [&](int i, int j, int k) {
    float value = 0;
    if (k == 0 || k == e.nz - 1) {
      value = (k == 0 ? faces[2].low : faces[2].high).at(i, j, 0);
    } else if (j == 0 || j == e.ny - 1) {
      value = (j == 0 ? faces[1].low : faces[1].high).at(i, 0, k);
    } else {
      value = (i == 0 ? faces[0].low : faces[0].high).at(j, 0, k);
    }
    values.push_back(static_cast<double>(value));
  });
  return values;
}

std::vector<double> faces_within(const lattice::Lattice& lattice, const lattice::Lattice& larger,
                                 const LatticeEquation& solution) {
  const auto& n = lattice.dimensions;
  const Extents& of = solution.extents();
  std::vector<double> values;
  values.reserve(face_points({n[0], n[1], n[2]}));
  for_faces({n[0], n[1], n[2]}, [&](int i, int j, int k) {
    const Eigen::Vector3d index = larger.index_of(lattice.point(i, j, k));
    std::array<int, 3> cell{};
    std::array<double, 3> part{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double at = index[static_cast<Eigen::Index>(axis)];
      cell[axis] = std::clamp(static_cast<int>(std::floor(at)), 0, larger.dimensions[axis] - 2);
      part[axis] = at - cell[axis];
    }
    double value = 0;
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      std::array<int, 3> at = cell;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool upper = (corner >> axis & 1) != 0;
        weight *= upper ? part[axis] : 1 - part[axis];
        at[axis] += upper ? 1 : 0;
      }
      value += weight * solution.u[of.at(at[0], at[1], at[2])];
    }
    values.push_back(value);
  });
  return values;
}

void set_faces(const std::vector<double>& values, LatticeEquation& equation) {
  const Extents e = equation.extents();
  std::size_t next = 0;
  for_faces(e, [&](int i, int j, int k) { equation.u[e.at(i, j, k)] = values[next++]; });
}

}  // namespace isolume::electrostatics
