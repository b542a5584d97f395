#include "core/electrostatics/sums/stencil_mesh.h"

#include <algorithm>
#include <cmath>

#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/handover.h"

namespace isolume::electrostatics {
namespace {

using IndexRange = tbb::blocked_range<std::size_t>;

}  // namespace

StencilWeights StencilMesh::weights(MeshBasis basis, int order, double after) {
  return basis == MeshBasis::lagrange ? lagrange_weights(order, after) : spline_weights(order, after);
}

std::pair<int, double> StencilMesh::first_and_after(int axis, double place) const {
  const auto& along = axes_[static_cast<std::size_t>(axis)];
  double cells = (place - along.origin) / along.spacing;
  if (along.periodic) cells -= along.points * std::floor(cells / along.points);
  const double cell = std::floor(cells);
  // A position just below the first point of a period may be rounded to its very end.
  const int index = along.periodic && cell >= along.points ? 0 : static_cast<int>(cell);
  return {index - order_ / 2 + 1, cells - cell};
}

StencilMesh::Stencil StencilMesh::stencil(int axis, double place) const {
  const auto [first, after] = first_and_after(axis, place);
  return {first, weights(basis_, order_, after)};
}

std::vector<double> StencilMesh::spread(const Sources& sources, const jobs::Progress& progress) const {
  // Sorted by position along z: threads then own planes, and the order of sums is fixed.
  const int deep = points(2);
  std::vector<int> first_plane(sources.size());
  std::vector<std::size_t> begins(static_cast<std::size_t>(deep) + 1), order(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    first_plane[i] = wrapped(2, first_and_after(2, sources.z[i]).first);
    ++begins[static_cast<std::size_t>(first_plane[i]) + 1];
  }
  for (std::size_t plane = 1; plane < begins.size(); ++plane) begins[plane] += begins[plane - 1];
  auto next = begins;
  for (std::size_t i = 0; i < sources.size(); ++i)
    order[next[static_cast<std::size_t>(first_plane[i])]++] = i;
  std::vector<double> values(size());
  const std::size_t nx = static_cast<std::size_t>(points(0)), ny = static_cast<std::size_t>(points(1));
  // Adds the contribution of a source, whose stencil begins at plane `first`, to planes from `low` up to `high`
  // (exclusive).
  const auto add = [&](std::size_t source, int first, int low, int high) {
    const auto x = stencil(0, sources.x[source]), y = stencil(1, sources.y[source]),
               z = stencil(2, sources.z[source]);
    for (int k = std::max(first, low); k < std::min(first + order_, high); ++k) {
      const double q = sources.charge[source] * z.weights[static_cast<std::size_t>(k - first)];
      for (int j = 0; j < order_; ++j) {
        double* row = values.data() + nx * (static_cast<std::size_t>(wrapped(1, y.first + j)) +
                                            ny * static_cast<std::size_t>(k));
        const double part = q * y.weights[static_cast<std::size_t>(j)];
        for (int i = 0; i < order_; ++i)
          row[wrapped(0, x.first + i)] += part * x.weights[static_cast<std::size_t>(i)];
      }
    }
  };
  // Several planes share the weights of a source.
  const int together = std::clamp(deep / (2 * tbb::this_task_arena::max_concurrency()), 1, 16);
  handover::parallel_for(tbb::blocked_range<int>(0, (deep + together - 1) / together, 1),
                         [&](const auto& part) {
                           for (int slab = part.begin(); slab != part.end(); ++slab) {
                             progress.check();
                             const int low = slab * together, high = std::min(low + together, deep);
                             for (int first = low - order_ + 1; first < high; ++first) {
                               if (first < 0 && !axes_[2].periodic) continue;
                               const auto plane = static_cast<std::size_t>(wrapped(2, first));
                               for (std::size_t at = begins[plane]; at < begins[plane + 1]; ++at)
                                 add(order[at], first, low, high);
                             }
                           }
                         });
  return values;
}

double StencilMesh::interpolate(const std::vector<double>& values, const Eigen::Vector3d& place) const {
  const auto x = stencil(0, place.x()), y = stencil(1, place.y()), z = stencil(2, place.z());
  const std::size_t nx = static_cast<std::size_t>(points(0)), ny = static_cast<std::size_t>(points(1));
  double sum = 0;
  for (int k = 0; k < order_; ++k) {
    double plane = 0;
    for (int j = 0; j < order_; ++j) {
      const double* from = values.data() + nx * (static_cast<std::size_t>(wrapped(1, y.first + j)) +
                                                 ny * static_cast<std::size_t>(wrapped(2, z.first + k)));
      double row = 0;
      for (int i = 0; i < order_; ++i)
        row += x.weights[static_cast<std::size_t>(i)] * from[wrapped(0, x.first + i)];
      plane += y.weights[static_cast<std::size_t>(j)] * row;
    }
    sum += z.weights[static_cast<std::size_t>(k)] * plane;
  }
  return sum;
}

void StencilMesh::add_interpolated(const std::vector<double>& values, const grid::Grid& grid,
                                   const GridPlanes& planes, double scale, float* to,
                                   const jobs::Progress& progress) const {
  const double angstrom = grid::shown_per_unit(grid.unit);
  std::array<std::vector<Stencil>, 3> stencils;
  for (int axis = 0; axis < 3; ++axis) {
    const int first = axis == 0 ? planes.first : 0,
              end = axis == 0 ? planes.end : grid.dimensions[static_cast<std::size_t>(axis)];
    for (int i = first; i < end; ++i) {
      stencils[static_cast<std::size_t>(axis)].push_back(
          stencil(axis, (grid.origin[axis] + i * grid.step(axis, axis)) * angstrom));
    }
  }
  const std::size_t nx = static_cast<std::size_t>(points(0)), plane_size = nx * points(1);
  const auto blend = [&](int axis, const Stencil& by, std::size_t count, const double* from,
                         std::vector<double>& into) {
    into.assign(count, 0);
    for (int number = 0; number < order_; ++number) {
      const double weight = by.weights[static_cast<std::size_t>(number)];
      const double* part = from + count * static_cast<std::size_t>(wrapped(axis, by.first + number));
      for (std::size_t i = 0; i < count; ++i) into[i] += weight * part[i];
    }
  };
  const IndexRange layers(0, static_cast<std::size_t>(grid.dimensions[2]), 1);
  handover::parallel_for(layers, [&](const IndexRange& some) {
    std::vector<double> plane, row;
    for (std::size_t k = some.begin(); k != some.end(); ++k) {
      progress.check();
      blend(2, stencils[2][k], plane_size, values.data(), plane);
      for (std::size_t j = 0; j < stencils[1].size(); ++j) {
        blend(1, stencils[1][j], nx, plane.data(), row);
        float* line = to + stencils[0].size() * (j + stencils[1].size() * k);
        for (std::size_t i = 0; i < stencils[0].size(); ++i) {
          const auto& x = stencils[0][i];
          double sum = 0;
          for (int number = 0; number < order_; ++number)
            sum += x.weights[static_cast<std::size_t>(number)] *
                   row[static_cast<std::size_t>(wrapped(0, x.first + number))];
          line[i] += static_cast<float>(scale * sum);
        }
      }
    }
  });
}

}  // namespace isolume::electrostatics
