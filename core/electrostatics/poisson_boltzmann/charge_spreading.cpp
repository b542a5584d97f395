#include "core/electrostatics/poisson_boltzmann/charge_spreading.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

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

/// The cardinal B-spline of this degree, of knots 0, 1, ... degree + 1. De Boor, J. Approx. Theory 6, 50 (1972).
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
      fmt::format("Atom {} at {:.3f}, {:.3f}, {:.3f} angstrom lies outside of the lattice, or at its "
                  "faces. Give a lattice that holds all atoms, or a larger margin.",
                  atom + 1, charges.x[atom], charges.y[atom], charges.z[atom]));
}

}  // namespace

std::vector<PointCharge> spread_charges(const structures::Charges& charges, const lattice::Lattice& lattice,
                                        ChargeSpline spline) {
  const int degree = degree_of(spline);
  const auto& n = lattice.dimensions;
  const Extents extents{n[0], n[1], n[2]};
  std::vector<PointCharge> parts;
  for (std::size_t atom = 0; atom < charges.size(); ++atom) {
    const Eigen::Vector3d index = lattice.index_of(charges.place(atom));
    for (int axis = 0; axis < 3; ++axis) {
      // As a number, before it is rounded to one that may not hold it.
      const double reach = 0.5 * (degree + 1), last = n[static_cast<std::size_t>(axis)] - 1;
      if (!(index[axis] >= reach && index[axis] <= last - reach)) refuse(charges, atom);
    }
    if (charges.charge[atom] == 0) continue;
    const auto x = weights_at(index.x(), degree), y = weights_at(index.y(), degree),
               z = weights_at(index.z(), degree);
    for (int k = 0; k <= degree; ++k) {
      for (int j = 0; j <= degree; ++j) {
        for (int i = 0; i <= degree; ++i) {
          const auto at = [](const Weights& of, int which) {
            return of.weight[static_cast<std::size_t>(which)];
          };
          const double weight = at(x, i) * at(y, j) * at(z, k);
          if (weight != 0)
            parts.push_back(
                {extents.at(x.first + i, y.first + j, z.first + k), charges.charge[atom] * weight});
        }
      }
    }
  }
  // Stable: those of one point are added in the order of atoms.
  std::ranges::stable_sort(parts, {}, &PointCharge::at);
  std::size_t count = 0;
  for (const PointCharge& part : parts) {
    if (count > 0 && parts[count - 1].at == part.at) {
      parts[count - 1].value += part.value;
    } else {
      parts[count++] = part;
    }
  }
  parts.resize(count);
  return parts;
}

}  // namespace isolume::electrostatics
