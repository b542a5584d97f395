#include "core/tomography/projector.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"

namespace isolume::tomography {
namespace {

using Rows = tbb::blocked_range<int>;

}  // namespace

ColumnVolume::ColumnVolume(const volumes::Counts& of)
    : counts(of), stride(static_cast<std::size_t>(padded_column(of[2]))) {
  values.assign(column_index(0, of[1]), 0.F);
}

ColumnVolume::ColumnVolume(std::span<const float> volume, const volumes::Counts& of) : ColumnVolume(of) {
  handover::parallel_for(Rows(0, counts[1]), [&](const Rows& part) {
    for (int y = part.begin(); y != part.end(); ++y) {
      for (int z = 0; z < counts[2]; ++z) {
        const float* from =
            volume.data() + (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts[1]) +
                             static_cast<std::size_t>(y)) *
                                static_cast<std::size_t>(counts[0]);
        float* to = values.data() + column_index(0, y) + z;
        for (int x = 0; x < counts[0]; ++x) to[static_cast<std::size_t>(x) * stride] = from[x];
      }
    }
  });
}

FieldValues ColumnVolume::with_x_fastest() const {
  FieldValues volume(volumes::point_count(counts));
  handover::parallel_for(Rows(0, counts[1]), [&](const Rows& part) {
    for (int y = part.begin(); y != part.end(); ++y) {
      for (int z = 0; z < counts[2]; ++z) {
        float* to = volume.data() + (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts[1]) +
                                     static_cast<std::size_t>(y)) *
                                        static_cast<std::size_t>(counts[0]);
        const float* from = values.data() + column_index(0, y) + z;
        for (int x = 0; x < counts[0]; ++x) to[x] = from[static_cast<std::size_t>(x) * stride];
      }
    }
  });
  return volume;
}

/// The rays to one column of the detector, in voxels. They lie in one upright plane, and meet plane i of the main axis
/// at position across + slope * i of the other axis, row v there at height + rise * i + (step + growth * i) * v.
struct Projector::Fan {
  bool main_is_y = false;
  double across = 0, slope = 0;
  double height = 0, rise = 0, step = 0, growth = 0;
  /// Length of ray v between two planes: sqrt(a + (b + c v)^2), in mm.
  double flat_squared = 0, climb = 0, climb_step = 0;

  /// to[v] = from[v] * length of ray v
  void weight(const float* from, float* to, int rows) const {
    const auto flat = static_cast<float>(flat_squared), first = static_cast<float>(climb),
               each = static_cast<float>(climb_step);
    for (int v = 0; v < rows; ++v) {
      const float climbs = first + each * static_cast<float>(v);
      to[v] = from[v] * std::sqrt(flat + climbs * climbs);
    }
  }
  /// The sample of plane i: weights of the columns at `cell` and `cell` + 1. False: none.
  bool at(int i, int others, ColumnStep<float>& step_at, int& cell) const {
    const double position = across + slope * i;
    if (!(position > -1 && position < others)) return false;
    const double low = std::floor(position), fraction = position - low;
    cell = static_cast<int>(low);
    step_at.weights = {cell >= 0 ? static_cast<float>(1 - fraction) : 0.F,
                       cell + 1 < others ? static_cast<float>(fraction) : 0.F};
    step_at.first = static_cast<float>(height + rise * i);
    step_at.step = static_cast<float>(step + growth * i);
    return true;
  }
};

Projector::Projector(const Geometry& geometry, const grid::Grid& grid)
    : geometry_(geometry), grid_(grid), counts_(grid.dimensions) {
  require_valid(geometry);
  if (!has_upright_columns(geometry))
    throw Error(
        "The columns of the detectors are not parallel to the z axis, or parallel rays are not perpendicular to it. "
        "Iterative methods need this; use filtered back projection.");
  if (!grid.axis_aligned()) throw Error("The axes of the volume have to be x, y and z. Choose another grid.");
}

Projector::Fan Projector::fan_of(int view, int u) const {
  const View& of = geometry_.views[static_cast<std::size_t>(view)];
  const Eigen::Vector3d scale = grid_.spacing().cwiseInverse();
  // In voxels. Rays run from `from` along `ray` + v * `up`, parallel ones from `from` + v * `up` along `ray`.
  const bool is_cone = geometry_.beam == Beam::cone;
  const Eigen::Vector3d pixel = of.pixel(u, 0);
  const Eigen::Vector3d from = ((is_cone ? of.source : pixel) - grid_.origin).cwiseProduct(scale);
  const Eigen::Vector3d ray = (is_cone ? Eigen::Vector3d(pixel - of.source) : of.source).cwiseProduct(scale);
  const double up = of.up.z() * scale.z();
  Fan fan;
  fan.main_is_y = std::abs(ray.y()) > std::abs(ray.x());
  const int main = fan.main_is_y ? 1 : 0, other = 1 - main;
  const double each = 1 / ray[main],
               start = -from[main] * each;  // ray parameter at plane i: start + each * i
  fan.slope = ray[other] * each;
  fan.across = from[other] + ray[other] * start;
  fan.rise = ray.z() * each;
  fan.height = from.z() + ray.z() * start;
  fan.step = is_cone ? up * start : up;
  fan.growth = is_cone ? up * each : 0;
  const Eigen::Vector3d path = ray.cwiseQuotient(scale) * each;
  fan.flat_squared = path.x() * path.x() + path.y() * path.y();
  fan.climb = path.z();
  fan.climb_step = is_cone ? of.up.z() * each : 0;
  return fan;
}

void Projector::forward(const ColumnVolume& volume, std::span<const int> chosen, Projections& result,
                        const jobs::Progress& progress) const {
  const int columns = geometry_.columns, rows = geometry_.rows;
  // Neighbouring columns of a view read nearly the same columns of the volume.
  constexpr int together = 32;
  const int parts = (columns + together - 1) / together, all = static_cast<int>(chosen.size()) * parts;
  std::atomic<int> done = 0;
  handover::parallel_for(Rows(0, all, 1), [&](const Rows& part) {
    thread_local std::vector<ColumnStep<const float>> steps;
    for (int block = part.begin(); block != part.end(); ++block) {
      if (progress.cancelled()) return;
      const int view = chosen[static_cast<std::size_t>(block / parts)];
      const int begin = block % parts * together;
      for (int u = begin; u < std::min(columns, begin + together); ++u) {
        const Fan fan = fan_of(view, u);
        const int planes = counts_[fan.main_is_y ? 1 : 0], others = counts_[fan.main_is_y ? 0 : 1];
        steps.clear();
        for (int i = 0; i < planes; ++i) {
          ColumnStep<float> at;
          int cell = 0;
          if (!fan.at(i, others, at, cell)) continue;
          const auto column = [&](int index) {
            index = std::clamp(index, 0, others - 1);
            return volume.values.data() +
                   (fan.main_is_y ? volume.column_index(index, i) : volume.column_index(i, index));
          };
          steps.push_back({.near = {column(cell), column(cell + 1)},
                           .weights = at.weights,
                           .first = at.first,
                           .step = at.step});
        }
        float* sums = result.column(view, u);
        std::fill_n(sums, result.stride, 0.F);
        sample_columns(steps, counts_[2], sums, 0, rows);
        fan.weight(sums, sums, rows);
        std::fill(sums + rows, sums + result.stride, 0.F);
      }
      progress.report(static_cast<double>(++done) / all);
    }
  });
  progress.check();
}

void Projector::adjoint(const Projections& projections, std::span<const int> chosen, ColumnVolume& volume,
                        const jobs::Progress& progress) const {
  const int columns = geometry_.columns, rows = geometry_.rows;
  std::fill(volume.values.begin(), volume.values.end(), 0.F);
  const std::size_t view_size = projections.column_index(1, 0);
  FieldValues weighted(chosen.size() * view_size);
  handover::parallel_for(Rows(0, static_cast<int>(chosen.size())), [&](const Rows& part) {
    for (int i = part.begin(); i != part.end(); ++i) {
      const int view = chosen[static_cast<std::size_t>(i)];
      for (int u = 0; u < columns; ++u) {
        fan_of(view, u).weight(projections.column(view, u),
                               weighted.data() + static_cast<std::size_t>(i) * view_size +
                                   static_cast<std::size_t>(u) * projections.stride,
                               rows);
      }
    }
  });
  // Slabs of planes are independent, first those of rays along x, then along y; a slab stays in a cache.
  constexpr int together = 4;
  std::atomic<int> done = 0;
  const int total = (counts_[0] + together - 1) / together + (counts_[1] + together - 1) / together;
  for (const bool main_is_y : {false, true}) {
    const int planes = counts_[main_is_y ? 1 : 0], others = counts_[main_is_y ? 0 : 1];
    handover::parallel_for(Rows(0, (planes + together - 1) / together, 1), [&](const Rows& part) {
      thread_local std::vector<ColumnStep<float>> steps;
      for (int slab = part.begin(); slab != part.end(); ++slab) {
        for (std::size_t number = 0; number < chosen.size(); ++number) {
          if (progress.cancelled()) return;
          const int view = chosen[number];
          for (int u = 0; u < columns; ++u) {
            const Fan fan = fan_of(view, u);
            if (fan.main_is_y != main_is_y) continue;
            steps.clear();
            for (int i = slab * together; i < std::min(planes, (slab + 1) * together); ++i) {
              ColumnStep<float> at;
              int cell = 0;
              if (!fan.at(i, others, at, cell)) continue;
              const auto column = [&](int index) {
                index = std::clamp(index, 0, others - 1);
                return volume.values.data() +
                       (main_is_y ? volume.column_index(index, i) : volume.column_index(i, index));
              };
              at.near = {column(cell), column(cell + 1)};
              steps.push_back(at);
            }
            if (steps.empty()) continue;
            spread_column(
                steps, counts_[2],
                weighted.data() + (number * static_cast<std::size_t>(columns) + static_cast<std::size_t>(u)) *
                                      projections.stride,
                rows);
          }
        }
        progress.report(static_cast<double>(++done) / total);
      }
    });
    progress.check();
  }
}

}  // namespace isolume::tomography
