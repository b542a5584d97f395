#include "core/electrostatics/poisson_boltzmann/charge_spreading.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <Eigen/LU>
#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"

namespace isolume::electrostatics {
namespace {

constexpr int most_support = 5;

int degree_of(ChargeSpline spline) {
  switch (spline) {
    case ChargeSpline::linear:
      return 1;
    case ChargeSpline::quadratic:
      return 2;
    case ChargeSpline::quartic:
      break;
  }
  return 4;
}

/// The cardinal B-spline of this degree, with knots 0, 1, ... degree + 1. De Boor, J. Approx. Theory 6, 50 (1972).
double b_spline(int degree, double x) {
  if (degree == 0) return x >= 0 && x < 1 ? 1 : 0;
  return (x * b_spline(degree - 1, x) + (degree + 1 - x) * b_spline(degree - 1, x - 1)) / degree;
}

/// Along one axis: the first point, and the weights from it on.
struct Weights {
  int first = 0;
  std::array<double, most_support> weight{};
};
Weights weights_at(double index, int degree) {
  const double reach = 0.5 * (degree + 1);
  Weights found;
  found.first = static_cast<int>(std::floor(index - reach)) + 1;
  for (int i = 0; i <= degree; ++i)
    found.weight[static_cast<std::size_t>(i)] = b_spline(degree, found.first + i - index + reach);
  return found;
}

[[noreturn]] void refuse(const structures::Charges& charges, std::size_t atom) {
  throw Error(
      fmt::format("Atom {} at {:.3f}, {:.3f}, {:.3f} angstrom lies outside of the grid, or at its "
                  "faces. Give a grid that holds all atoms, or a larger margin.",
                  atom + 1, charges.x[atom], charges.y[atom], charges.z[atom]));
}

/// Contributions of some of the charges to the points of one plane, in their order; `plane` and `touched`, arrays of
/// the same size, are left empty. Weights are recomputed for each plane: stored, those of a million atoms would take
/// more memory than the grid.
void spread_on_plane(const structures::Charges& charges, const std::vector<std::uint32_t>& some,
                     const grid::Grid& grid, const Eigen::Matrix3d& steps_of, int degree, int k,
                     std::vector<double>& plane, std::vector<char>& touched, std::vector<PointCharge>& into) {
  const auto& n = grid.dimensions;
  const Extents extents{n[0], n[1], n[2]};
  const std::size_t first = extents.row(0, k);
  const auto at = [](const Weights& of, int which) { return of.weight[static_cast<std::size_t>(which)]; };
  for (const std::uint32_t which : some) {
    const double charge = charges.charge[which];
    const Eigen::Vector3d index = steps_of * (charges.place(which) - grid.origin);
    const Weights x = weights_at(index.x(), degree), y = weights_at(index.y(), degree),
                  z = weights_at(index.z(), degree);
    for (int j = 0; j <= degree; ++j) {
      for (int i = 0; i <= degree; ++i) {
        const double weight = at(x, i) * at(y, j) * at(z, k - z.first);
        if (weight == 0) continue;
        const std::size_t in_plane = extents.at(x.first + i, y.first + j, k) - first;
        plane[in_plane] += charge * weight;
        touched[in_plane] = 1;
      }
    }
  }
  into.reserve(static_cast<std::size_t>(std::ranges::count(touched, 1)));
  for (std::size_t in_plane = 0; in_plane < plane.size(); ++in_plane) {
    if (touched[in_plane] == 0) continue;
    into.push_back({first + in_plane, plane[in_plane]});
    plane[in_plane] = 0;
    touched[in_plane] = 0;
  }
}

}  // namespace

void require_inside(const structures::Charges& charges, const grid::Grid& grid, ChargeSpline spline) {
  const double reach = 0.5 * (degree_of(spline) + 1);
  const Eigen::Matrix3d steps_of = grid.step.inverse();
  for (std::size_t atom = 0; atom < charges.size(); ++atom) {
    const Eigen::Vector3d index = steps_of * (charges.place(atom) - grid.origin);
    for (int axis = 0; axis < 3; ++axis) {
      // As a double, before conversion to an integer that may not hold it.
      const double last = grid.dimensions[static_cast<std::size_t>(axis)] - 1;
      if (!(index[axis] >= reach && index[axis] <= last - reach)) refuse(charges, atom);
    }
  }
}

std::vector<PointCharge> spread_charges(const structures::Charges& charges, const grid::Grid& grid,
                                        ChargeSpline spline) {
  require_inside(charges, grid, spline);
  const int degree = degree_of(spline);
  const auto& n = grid.dimensions;
  const Extents extents{n[0], n[1], n[2]};
  const Eigen::Matrix3d steps_of = grid.step.inverse();
  // Contributions to one point are added in the order of atoms.
  std::vector<std::vector<std::uint32_t>> of_plane(static_cast<std::size_t>(n[2]));
  for (std::size_t atom = 0; atom < charges.size(); ++atom) {
    if (charges.charge[atom] == 0) continue;
    const int first = weights_at((steps_of * (charges.place(atom) - grid.origin)).z(), degree).first;
    for (int k = first; k <= first + degree; ++k)
      of_plane[static_cast<std::size_t>(k)].push_back(static_cast<std::uint32_t>(atom));
  }
  std::vector<std::vector<PointCharge>> planes(of_plane.size());
  handover::parallel_for(tbb::blocked_range<int>(0, n[2]), [&](const auto& range) {
    std::vector<double> plane(extents.plane(), 0.0);
    std::vector<char> touched(extents.plane(), 0);
    for (int k = range.begin(); k != range.end(); ++k) {
      const auto& atoms = of_plane[static_cast<std::size_t>(k)];
      if (!atoms.empty())
        spread_on_plane(charges, atoms, grid, steps_of, degree, k, plane, touched,
                        planes[static_cast<std::size_t>(k)]);
    }
  });
  std::size_t count = 0;
  for (const auto& plane : planes) count += plane.size();
  std::vector<PointCharge> all;
  all.reserve(count);
  for (auto& plane : planes) {
    all.insert(all.end(), plane.begin(), plane.end());
    plane = {};
  }
  return all;
}

}  // namespace isolume::electrostatics
