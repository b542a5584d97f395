#include "core/electrostatics/poisson_boltzmann/face_potentials.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "core/electrostatics/potential/potential.h"
#include "core/electrostatics/sums/sources.h"
#include "core/electrostatics/sums/stencil_mesh.h"

namespace isolume::electrostatics {
namespace {

using structures::Charges;

/// Between charges and a face at a distance d from all of them, the potential is so smooth that polynomials of degree
/// 5 through points h apart have an error of 1.1 (h / d)^6 of 1 / d along the face, and, for the decay exp(-kappa r),
/// of (kappa h)^6 / 200 of itself: 3.5 h^6, the maximum of the product of distances to six points in a row in the
/// middle interval, over 6!, times the sixth derivative, which is at most 6! * 0.31 / d^7, or kappa^6. Towards the
/// face, where charges are condensed, it is 6! / d^7, and the error is at most 5.2 (h / d)^6 of 1 / d with h = d / 5.
/// This is why few charges and few points suffice.
constexpr int stencil_points = 6;
double apart_at(double distance, const PotentialOptions& how) {
  constexpr double of_distance = 0.2, left = 7e-5;  // 1.1 of_distance^6, of 1 / d
  const double kappa = terms_of(how).kappa;
  return std::min(of_distance * distance,
                  std::cbrt(std::sqrt(200 * left * std::exp(kappa * distance))) / kappa);
}

/// Where along an axis of a face the potential is computed, and the stencils with which it is interpolated at each of
/// the face's points. No stencils where it is computed at all points.
struct Nodes {
  double origin, spacing;
  int count;
  struct Stencil {
    int first;
    StencilWeights weights;
  };
  std::vector<Stencil> stencils;
};
Nodes nodes_along(double origin, double spacing, int count, double most_apart) {
  constexpr int before = stencil_points / 2 - 1;
  const double intervals = std::ceil(spacing * (count - 1) / most_apart);
  if (!(intervals + stencil_points - 1 < count)) return {origin, spacing, count, {}};
  const int last = static_cast<int>(intervals) - 1;
  const double apart = spacing * (count - 1) / intervals;
  Nodes nodes{origin - before * apart, apart, last + stencil_points, {}};
  for (int i = 0; i < count; ++i) {
    const double at = i * spacing / apart;
    const int cell = std::min(static_cast<int>(at), last);
    nodes.stencils.push_back({cell, lagrange_weights(stencil_points, at - cell)});
  }
  return nodes;
}

/// Rows are those of the nodes; then of the face's points.
Eigen::MatrixXd interpolated(const Nodes& nodes, const Eigen::MatrixXd& values) {
  if (nodes.stencils.empty()) return values;
  Eigen::MatrixXd found(static_cast<Eigen::Index>(nodes.stencils.size()), values.cols());
  for (Eigen::Index column = 0; column < values.cols(); ++column) {
    for (std::size_t i = 0; i < nodes.stencils.size(); ++i) {
      const auto& [first, weights] = nodes.stencils[i];
      double sum = 0;
      for (int n = 0; n < stencil_points; ++n)
        sum += weights[static_cast<std::size_t>(n)] * values(first + n, column);
      found(static_cast<Eigen::Index>(i), column) = sum;
    }
  }
  return found;
}

/// Charges spread over a mesh of this spacing in angstrom; the original charges if the mesh would not have fewer, or
/// be too large.
Charges condensed(const Charges& charges, const PotentialOptions& how, double apart,
                  const jobs::Progress& progress) {
  const auto box = structures::box_of(charges);
  std::array<MeshAxis, 3> axes;
  double points = 1;
  for (int axis = 0; axis < 3; ++axis) {
    // The first charge lies within an interval, not at its end, where rounding could put it beyond.
    const double intervals = std::floor((box.high[axis] - box.low[axis]) / apart + 0.5) + 1;
    points *= intervals + stencil_points - 1;
    if (!(points < static_cast<double>(charges.size()))) return charges;
    axes[static_cast<std::size_t>(axis)] = {box.low[axis] - (0.5 * stencil_points - 0.5) * apart, apart,
                                            static_cast<int>(intervals) + stencil_points - 1};
  }
  const StencilMesh mesh(axes, MeshBasis::lagrange, stencil_points);
  const auto values = mesh.spread(sources_of(charges, terms_of(how)), progress);
  Charges few;
  std::size_t next = 0;
  const auto at = [&](int axis, int i) { return axes[static_cast<std::size_t>(axis)].origin + i * apart; };
  for (int k = 0; k < mesh.points(2); ++k) {
    for (int j = 0; j < mesh.points(1); ++j) {
      for (int i = 0; i < mesh.points(0); ++i) {
        const double charge = values[next++];
        if (std::abs(charge) > structures::most_magnitude) return charges;
        if (charge != 0) structures::add_atom(few, {at(0, i), at(1, j), at(2, k)}, charge, 0, {});
      }
    }
  }
  return few.size() > 0 ? few : charges;  // no charges at all
}

/// The potential on a face across an axis: as a matrix over the next axis and the one after it.
Eigen::MatrixXd on_face(const grid::Grid& grid, int axis, bool high, double most_apart,
                        const Charges& charges, const PotentialOptions& how, const jobs::Progress& progress) {
  // Sums go along rows of x.
  const std::array<int, 3> from{(axis + 1) % 3, (axis + 2) % 3, axis};
  std::array<Nodes, 2> nodes;
  grid::Grid face = grid;
  for (int to = 0; to < 3; ++to) {
    const int of = from[static_cast<std::size_t>(to)], count = grid.dimensions[static_cast<std::size_t>(of)];
    const double origin = grid.origin[of], spacing = grid.step(of, of);
    Nodes along = to < 2 ? nodes_along(origin, spacing, count, most_apart)
                         : Nodes{high ? origin + (count - 1) * spacing : origin, spacing, 1, {}};
    face.origin[to] = along.origin;
    face.step(to, to) = along.spacing;
    face.dimensions[static_cast<std::size_t>(to)] = along.count;
    if (to < 2) nodes[static_cast<std::size_t>(to)] = std::move(along);
  }
  Charges turned = charges;
  const std::array<const std::vector<double>*, 3> places{&charges.x, &charges.y, &charges.z};
  turned.x = *places[static_cast<std::size_t>(from[0])];
  turned.y = *places[static_cast<std::size_t>(from[1])];
  turned.z = *places[static_cast<std::size_t>(from[2])];
  const auto found = potential_on(face, turned, how, progress.part(0, 0)).values;
  const Eigen::MatrixXd values =
      Eigen::Map<const Eigen::MatrixXf>(found.values.data(), face.dimensions[0], face.dimensions[1])
          .cast<double>();
  return interpolated(nodes[1], interpolated(nodes[0], values).transpose()).transpose();
}

/// From the nearest charge to each face across an axis.
std::array<double, 2> distances_to_faces(const grid::Grid& grid, const structures::Box& box, int axis) {
  const double first = grid.origin[axis],
               last = first + (grid.dimensions[static_cast<std::size_t>(axis)] - 1) * grid.step(axis, axis);
  return {box.low[axis] - first, last - box.high[axis]};
}

}  // namespace

std::vector<double> debye_hueckel_faces(const grid::Grid& grid, const Charges& charges,
                                        const PotentialOptions& options, double permittivity,
                                        double salt_molar, const jobs::Progress& progress) {
  PotentialOptions how = options;
  how.method = salt_molar > 0 ? Method::debye_hueckel : Method::direct;
  how.unit = PotentialUnit::kt_per_e;
  how.solvent_dielectric = how.solute_dielectric = permittivity;
  how.dielectric = Dielectric::constant;
  how.salt_molar = salt_molar;
  static_cast<dispatch::ComputeOptions&>(how) = {.threads = options.threads};
  how.engines = nullptr;  // so that a solution does not depend on them
  const auto box = structures::box_of(charges);
  double least = std::numeric_limits<double>::infinity();
  std::array<std::array<double, 2>, 3> distances;
  for (int axis = 0; axis < 3; ++axis) {
    distances[static_cast<std::size_t>(axis)] = distances_to_faces(grid, box, axis);
    least = std::min(
        {least, distances[static_cast<std::size_t>(axis)][0], distances[static_cast<std::size_t>(axis)][1]});
  }
  const Charges sources = condensed(charges, how, apart_at(least, how), progress);
  std::array<std::array<Eigen::MatrixXd, 2>, 3> faces;
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool high : {false, true}) {
      const auto a = static_cast<std::size_t>(axis), side = static_cast<std::size_t>(high);
      faces[a][side] = on_face(grid, axis, high, apart_at(distances[a][side], how), sources, how, progress);
    }
  }
  const auto& n = grid.dimensions;
  const Extents e{n[0], n[1], n[2]};
  std::vector<double> values;
  values.reserve(face_points(e));
  for_faces(e, [&](int i, int j, int k) {
    double value = 0;
    if (k == 0 || k == e.nz - 1) {
      value = faces[2][k == 0 ? 0 : 1](i, j);
    } else if (j == 0 || j == e.ny - 1) {
      value = faces[1][j == 0 ? 0 : 1](k, i);
    } else {
      value = faces[0][i == 0 ? 0 : 1](j, k);
    }
    values.push_back(value);
  });
  return values;
}

std::vector<double> faces_within(const grid::Grid& grid, const grid::Grid& larger,
                                 const GridEquation& solution) {
  const auto& n = grid.dimensions;
  const Extents& of = solution.extents();
  std::vector<double> values;
  values.reserve(face_points({n[0], n[1], n[2]}));
  for_faces({n[0], n[1], n[2]}, [&](int i, int j, int k) {
    const Eigen::Vector3d index = larger.index_at(grid.position(i, j, k));
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

void set_faces(const std::vector<double>& values, GridEquation& equation) {
  const Extents e = equation.extents();
  std::size_t next = 0;
  for_faces(e, [&](int i, int j, int k) { equation.u[e.at(i, j, k)] = values[next++]; });
}

}  // namespace isolume::electrostatics
