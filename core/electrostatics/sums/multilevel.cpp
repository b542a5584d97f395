#include "core/electrostatics/sums/multilevel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/memory.h"
#include "core/electrostatics/sums/inverse_split.h"

namespace isolume::electrostatics {
namespace {

constexpr int stencil_points = multilevel_stencil_points;

/// Spacings per cut-off for an error. Measured on random charges: 4e-4, 2.5e-5 and 3.6e-6 with 4, 6 and 8.
double spacings_of_cutoff(double error) {
  return std::max(2.0, 6 * std::pow(6e-5 / error, 1 / 6.7));
}

/// Smooth kernel in spacings of the finest mesh: on level n, a source contributes 1 / 2^n at 2^n times the distance.
double smooth_of(double steps, double spacings) {
  return multilevel_smooth(steps / spacings) / spacings;
}

EvenKernel kernel_of(const std::array<int, 3>& reach, double radius, double spacings, bool is_last) {
  EvenKernel kernel{reach, radius, {}};
  for (int z = 0; z <= reach[2]; ++z) {
    for (int y = 0; y <= reach[1]; ++y) {
      for (int x = 0; x <= reach[0]; ++x) {
        const double steps =
            std::sqrt(static_cast<double>(x) * x + static_cast<double>(y) * y + static_cast<double>(z) * z);
        kernel.values.push_back(smooth_of(steps, spacings) -
                                (is_last ? 0 : smooth_of(steps / 2, spacings) / 2));
      }
    }
  }
  return kernel;
}

/// Ensures that every point of a mesh has all the coarser points it is interpolated from.
int coarse_points(int fine) {
  return (fine - 1) / 2 + stencil_points;
}

/// Transfer along one axis between a mesh and one of twice the spacing: charges are restricted with the weights with
/// which potentials are interpolated. The finer mesh's first point coincides with point stencil_points / 2 - 1 of the
/// coarser, and every second one with the next.
NumberBox between_meshes(const NumberBox& from, std::size_t axis, int points, bool to_coarser) {
  static const auto half_way = StencilMesh::weights(MeshBasis::lagrange, stencil_points, 0.5);
  NumberBox to{from.points, {}};
  to.points[axis] = points;
  to.values.resize(static_cast<std::size_t>(to.points[0]) * to.points[1] * to.points[2]);
  std::size_t stride = 1, others = 1;
  for (std::size_t each = 0; each < 3; ++each) {
    if (each != axis) (each < axis ? stride : others) *= static_cast<std::size_t>(from.points[each]);
  }
  const int fine_points = to_coarser ? from.points[axis] : points;
  const auto add = [&](std::size_t other, int fine, int coarse, double weight) {
    const auto line = [&](const NumberBox& box, int at) {
      return stride * (static_cast<std::size_t>(at) + other * static_cast<std::size_t>(box.points[axis]));
    };
    const double* a = from.values.data() + line(from, to_coarser ? fine : coarse);
    double* b = to.values.data() + line(to, to_coarser ? coarse : fine);
    for (std::size_t i = 0; i < stride; ++i) b[i] += weight * a[i];
  };
  for (std::size_t other = 0; other < others; ++other) {
    for (int fine = 0; fine < fine_points; ++fine) {
      if (fine % 2 == 0) {
        add(other, fine, fine / 2 + stencil_points / 2 - 1, 1);
      } else {
        for (int i = 0; i < stencil_points; ++i)
          add(other, fine, fine / 2 + i, half_way[static_cast<std::size_t>(i)]);
      }
    }
  }
  return to;
}

/// The potential due to charges at the points of the first level, in charge over its spacing.
NumberBox potential_of(const NumberBox& charges, std::span<const MultilevelLevel> levels,
                       const jobs::Progress& progress) {
  auto potential = convolved(charges, levels.front().kernel, progress);
  if (levels.size() == 1) return potential;
  auto coarse = charges;
  for (std::size_t axis = 0; axis < 3; ++axis)
    coarse = between_meshes(coarse, axis, levels[1].points[axis], true);
  auto rest = potential_of(coarse, levels.subspan(1), progress);
  for (std::size_t axis = 0; axis < 3; ++axis) rest = between_meshes(rest, axis, charges.points[axis], false);
  for (std::size_t i = 0; i < rest.values.size(); ++i) potential.values[i] += rest.values[i] / 2;
  return potential;
}

StencilMesh mesh_around(const Sources& sources, const structures::Box& around, double spacing) {
  std::array<MeshAxis, 3> axes;
  double count = 1;
  const std::array<const std::vector<double>*, 3> places{&sources.x, &sources.y, &sources.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto along = static_cast<Eigen::Index>(axis);
    const auto [least, most] = std::ranges::minmax(*places[axis]);
    const double low = std::min(least, around.low[along]), high = std::max(most, around.high[along]);
    const double points = std::floor((high - low) / spacing) + stencil_points + 2;
    axes[axis] = {low - stencil_points / 2 * spacing, spacing, static_cast<int>(std::min(points, 1e9)),
                  false};
    count *= points;
  }
  // Charges and potentials of all meshes, and rows padded with zeros.
  constexpr double bytes_a_point = 8 * sizeof(double);
  dispatch::require_memory(fmt::format("Multilevel summation on {:.0f} points", count), count * bytes_a_point,
                           "Take a larger cut-off or error, or the fast multipole method (fmm).");
  return {axes, MeshBasis::lagrange, stencil_points};
}

}  // namespace

std::vector<MultilevelLevel> multilevel_levels(const std::array<int, 3>& finest, double spacings) {
  std::vector<MultilevelLevel> levels;
  auto points = finest;
  const int reach = static_cast<int>(2 * spacings);
  while (*std::ranges::max_element(points) > 2 * spacings + 2 * stencil_points) {
    levels.push_back({points, kernel_of({reach, reach, reach}, 2 * spacings, spacings, false)});
    for (int& each : points) each = coarse_points(each);
  }
  const double radius = 3.0 * *std::ranges::max_element(points);  // large enough for all points
  levels.push_back(
      {points, kernel_of({points[0] - 1, points[1] - 1, points[2] - 1}, radius, spacings, true)});
  return levels;
}

MeshSum multilevel_sum(const Sources& sources, const structures::Box& around, double cutoff, double error) {
  if (!(error >= least_multilevel_error)) {
    throw Error(
        fmt::format("Multilevel summation reaches errors down to {:.0e}, and {:.0e} is asked for. Give a "
                    "larger error, or take the fast multipole method (fmm).",
                    least_multilevel_error, error));
  }
  const double spacings = spacings_of_cutoff(error);
  return {mesh_around(sources, around, cutoff / spacings), sources, MultilevelLevels{spacings}};
}

std::vector<double> multilevel_values(const MeshSum& sum, const jobs::Progress& progress) {
  const auto& mesh = sum.mesh;
  const NumberBox charges{{mesh.points(0), mesh.points(1), mesh.points(2)},
                          mesh.spread(sum.sources, progress)};
  const auto levels = multilevel_levels(charges.points, std::get<MultilevelLevels>(sum.law).spacings);
  auto values = potential_of(charges, levels, progress).values;
  for (double& each : values) each /= mesh.axes()[0].spacing;
  return values;
}

}  // namespace isolume::electrostatics
