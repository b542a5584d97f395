#include "core/electrostatics/molecular_density.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::electrostatics {
namespace {

constexpr double sharpness = 2.35;
constexpr double least_density = 1e-4;

/// Of an atom, in its radius: where its Gaussian falls to least_density.
double density_reach() {
  return std::sqrt(1 - std::log(least_density) / sharpness);
}

/// Adds an atom's Gaussian to one plane of the lattice, which lies along x, y and z.
void add_to_plane(const lattice::Lattice& lattice, float* values, int k, const Eigen::Vector3d& centre,
                  double radius) {
  const auto& n = lattice.dimensions;
  const double reach = density_reach() * radius;
  const auto range = [&](int axis) {
    const double middle = (centre[axis] - lattice.origin[axis]) / lattice.step(axis, axis);
    const double half = reach / lattice.step(axis, axis);
    const auto last = static_cast<double>(n[static_cast<std::size_t>(axis)] - 1);
    return std::pair(static_cast<int>(std::clamp(std::ceil(middle - half), 0.0, last + 1)),
                     static_cast<int>(std::clamp(std::floor(middle + half), -1.0, last)));
  };
  const double scale = -sharpness / (radius * radius);
  const auto away = [&](int axis, int at) {
    const double distance = lattice.origin[axis] + at * lattice.step(axis, axis) - centre[axis];
    return distance * distance;
  };
  const auto [first_x, last_x] = range(0);
  const auto [first_y, last_y] = range(1);
  const double of_plane = std::exp(sharpness + scale * away(2, k));
  if (of_plane < least_density || first_x > last_x) return;
  std::vector<double> of_column;
  for (int i = first_x; i <= last_x; ++i) of_column.push_back(std::exp(scale * away(0, i)));
  for (int j = first_y; j <= last_y; ++j) {
    const double of_row = of_plane * std::exp(scale * away(1, j));
    float* const row = values + static_cast<std::size_t>(n[0]) *
                                    (static_cast<std::size_t>(j) +
                                     static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(k));
    for (int i = first_x; i <= last_x; ++i)
      row[i] += static_cast<float>(of_row * of_column[static_cast<std::size_t>(i - first_x)]);
  }
}

}  // namespace

lattice::ScalarField molecular_density(const lattice::Lattice& lattice, const structures::Charges& charges,
                                       const jobs::Progress& progress) {
  lattice::ScalarField field;
  field.lattice = lattice;
  field.name = "Molecular surface";
  field.values.assign(lattice.point_count(), 0.0F);
  float* const values = field.values.data();
  const double unit = 1 / lattice::shown_per_unit(lattice.unit);
  const int planes = lattice.dimensions[2];
  std::vector<std::vector<std::size_t>> atoms_of(static_cast<std::size_t>(planes));
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double reach = density_reach() * charges.radius[i];
    const auto plane = [&](double z) {
      return std::clamp((z * unit - lattice.origin.z()) / lattice.step(2, 2), -1.0, planes + 0.0);
    };
    const int last = static_cast<int>(std::floor(plane(charges.z[i] + reach)));
    for (int k = std::max(0, static_cast<int>(std::ceil(plane(charges.z[i] - reach))));
         k <= std::min(last, planes - 1); ++k) {
      if (charges.radius[i] > 0) atoms_of[static_cast<std::size_t>(k)].push_back(i);
    }
  }
  handover::parallel_for(tbb::blocked_range<int>(0, planes, 1), [&](const auto& range) {
    for (int k = range.begin(); k != range.end() && !progress.cancelled(); ++k) {
      for (const std::size_t atom : atoms_of[static_cast<std::size_t>(k)])
        add_to_plane(lattice, values, k, unit * charges.place(atom), unit * charges.radius[atom]);
    }
  });
  progress.check();
  return field;
}

}  // namespace isolume::electrostatics
