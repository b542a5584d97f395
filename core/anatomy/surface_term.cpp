#include "core/anatomy/surface_term.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "core/anatomy/landmarks.h"
#include "core/anatomy/parts.h"
#include "core/base/counted.h"
#include "core/base/error.h"

namespace isolume::anatomy {
namespace {

using Eigen::Vector3d;
using volumes::Counts;
using volumes::VectorField;

/// Adds vectors at indices to the corners of their cells: the adjoint of vector_at().
void add_at(VectorField& field, std::span<const Vector3d> indices, std::span<const Vector3d> vectors) {
  const Counts& n = field.counts;
  handover::parallel_for(tbb::blocked_range<int>(0, 3, 1), [&](const auto& range) {
    for (int component = range.begin(); component != range.end(); ++component) {
      float* const to = field.data(static_cast<std::size_t>(component));
      for (std::size_t i = 0; i < indices.size(); ++i) {
        std::array<std::size_t, 3> along{};
        Vector3d fraction;
        std::size_t stride = 1, at = 0;
        for (int axis = 0; axis < 3; ++axis) {
          const auto k = static_cast<std::size_t>(axis);
          const double inside = std::clamp(indices[i][axis], 0.0, n[k] - 1.0);
          const auto first =
              static_cast<std::size_t>(std::min(static_cast<int>(inside), std::max(n[k] - 2, 0)));
          fraction[axis] = inside - static_cast<double>(first);
          along[k] = n[k] > 1 ? stride : 0;
          at += first * stride;
          stride *= static_cast<std::size_t>(n[k]);
        }
        for (unsigned corner = 0; corner < 8; ++corner) {
          double weight = vectors[i][component];
          std::size_t place = at;
          for (int axis = 0; axis < 3; ++axis) {
            const bool is_second = (corner >> axis & 1U) == 1;
            weight *= is_second ? fraction[axis] : 1 - fraction[axis];
            if (is_second) place += along[static_cast<std::size_t>(axis)];
          }
          if (weight != 0) to[place] += static_cast<float>(weight);
        }
      }
    }
  });
}

}  // namespace

std::vector<SurfacePair> surface_pairs(const Labels& fixed, const Labels& moving,
                                       std::span<const std::int64_t> labels, Remarks& remarks,
                                       const jobs::Progress& progress) {
  std::set<std::int64_t> wanted(labels.begin(), labels.end());
  if (wanted.empty()) {
    std::set<std::int64_t> all(fixed.values.begin(), fixed.values.end());
    all.insert(moving.values.begin(), moving.values.end());
    all.erase(0);
    std::set_intersection(fixed.values.begin(), fixed.values.end(), moving.values.begin(),
                          moving.values.end(), std::inserter(wanted, wanted.end()));
    wanted.erase(0);
    if (wanted.size() < all.size()) {
      const std::size_t left = all.size() - wanted.size();
      remarks.dropped(fmt::format("{} in one of the two images alone: no surface of {} is used.",
                                  counted(left, "label is", "labels are"), left == 1 ? "it" : "them"),
                      left);
    }
  }
  std::vector<SurfacePair> pairs;
  std::size_t done = 0;
  for (const std::int64_t label : wanted) {
    const auto part = [&](double half) {
      const auto count = static_cast<double>(wanted.size());
      return progress.part((static_cast<double>(done) + half) / count,
                           (static_cast<double>(done) + half + 0.5) / count);
    };
    SurfacePair pair{.name = std::to_string(label),
                     .fixed = surface_of(fixed, label, part(0)),
                     .moving = surface_of(moving, label, part(0.5))};
    ++done;
    if (!pair.fixed.empty() && !pair.moving.empty()) {
      pairs.push_back(std::move(pair));
      continue;
    }
    const std::string text = fmt::format("Label {} has no surface in the {} image", label,
                                         pair.fixed.empty() ? "fixed" : "moving");
    if (!labels.empty())
      throw Error(text + ": it is missing or consists of isolated voxels. Choose another label.");
    remarks.dropped(text + ", and is left out.", 1);
  }
  if (pairs.empty())
    throw Error(
        "Both images have no label in common but 0, whose surfaces could be brought together. "
        "Choose label maps with the same labels.");
  return pairs;
}

SurfaceTerm placed_on(std::vector<SurfacePair> pairs, const grid::Grid& grid, const Eigen::Affine3d& map,
                      const TermParameters& parameters) {
  const Eigen::Affine3d back = map.inverse();
  const Vector3d spacing = grid.spacing();
  for (SurfacePair& pair : pairs) {
    for (Vector3d& each : pair.fixed.points) each = grid.index_at(each).cwiseProduct(spacing);
    for (Vector3d& each : pair.moving.points) each = grid.index_at(back * each).cwiseProduct(spacing);
  }
  return {
      .pairs = std::move(pairs), .weight = parameters.surface_weight, .width_mm = parameters.kernel_width_mm};
}

std::vector<SurfaceResult> surface_results(const SurfaceTerm& term, const VectorField& displacement,
                                           const std::array<double, 3>& spacing_mm,
                                           const jobs::Progress& progress) {
  const Vector3d spacing(spacing_mm[0], spacing_mm[1], spacing_mm[2]);
  std::vector<SurfaceResult> results;
  for (const SurfacePair& pair : term.pairs) {
    progress.check();
    Surface moved = pair.fixed;
    for (Vector3d& each : moved.points)
      each += vector_at(displacement, each.cwiseQuotient(spacing)).cwiseProduct(spacing);
    results.push_back({.name = pair.name,
                       .before = mesh_distances(pair.fixed, pair.moving, progress),
                       .after = mesh_distances(moved, pair.moving, progress)});
  }
  return results;
}

SurfaceForces::SurfaceForces(const SurfaceTerm& term, const Counts& finest, const Counts& counts,
                             const std::array<double, 3>& spacing_mm, double intensity)
    : spacing_(spacing_mm[0], spacing_mm[1], spacing_mm[2]) {
  if (term.empty()) return;
  double coarser = 1;
  Vector3d offset;  // of the level's first voxel from the grid's first one, in mm
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double ratio = static_cast<double>(finest[axis]) / counts[axis];
    coarser = std::max(coarser, ratio);
    offset[static_cast<int>(axis)] = 0.5 * spacing_mm[axis] * (1 - 1 / ratio);
  }
  weight_ = term.weight * intensity * intensity * static_cast<double>(volumes::point_count(counts));
  for (const SurfacePair& pair : term.pairs) {
    const double width = coarser * term.width_mm;
    Surface fixed = pair.fixed, moving = pair.moving;
    if (coarser > 1) {
      const double edge = std::min(spacing_.maxCoeff(), 0.2 * width);
      for (Surface* each : {&fixed, &moving}) {
        Surface simple = simplified(*each, edge);
        if (!simple.empty()) *each = std::move(simple);
      }
    }
    CurrentsDistance distance(fixed, moving, width);
    std::vector<Vector3d> indices = fixed.points;
    for (Vector3d& each : indices) each = (each - offset).cwiseQuotient(spacing_);
    pairs_.push_back({.points = std::move(fixed.points),
                      .indices = std::move(indices),
                      .forces = {},
                      .distance = std::move(distance),
                      .path = {},
                      .forces_along = {}});
  }
}

void SurfaceForces::measure_pair(GridPair& pair, std::span<const Vector3d> moved) {
  const double scale = pair.distance.scale(), count = static_cast<double>(pairs_.size());
  relative_ += pair.distance.measure(moved, &pair.forces) / scale / count;
  const double factor = -0.5 * weight_ / (count * scale);
  for (Vector3d& each : pair.forces) each *= factor;
}

double SurfaceForces::measure(const VectorField& displacement) {
  relative_ = 0;
  for (GridPair& pair : pairs_) {
    std::vector<Vector3d> moved(pair.points.size());
    for_parts(moved.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        moved[i] = pair.points[i] + vector_at(displacement, pair.indices[i]).cwiseProduct(spacing_);
    });
    measure_pair(pair, moved);
    for_parts(moved.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Eigen::Matrix3d gradient = map_gradient_at(displacement, pair.indices[i]);  // by voxels
        pair.forces[i] =
            (gradient.transpose() * pair.forces[i].cwiseProduct(spacing_)).cwiseQuotient(spacing_);
      }
    });
  }
  return weight_ * relative_;
}

double SurfaceForces::measure_along(std::span<const VectorField> velocities) {
  relative_ = 0;
  for (GridPair& pair : pairs_) {
    const std::size_t steps = velocities.size(), count = pair.points.size();
    pair.path.assign(steps, std::vector<Vector3d>(count));
    pair.forces_along = pair.path;
    std::vector<Vector3d> moved(count);
    for_parts(count, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Vector3d at = pair.indices[i];
        for (std::size_t t = steps; t-- > 0;) {
          pair.path[t][i] = at;
          at -= vector_at(velocities[t], at).cwiseQuotient(spacing_);
        }
        moved[i] = pair.points[i] + (at - pair.indices[i]).cwiseProduct(spacing_);
      }
    });
    measure_pair(pair, moved);
    for_parts(count, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Vector3d force = pair.forces[i];
        for (std::size_t t = 0; t < steps; ++t) {
          pair.forces_along[t][i] = -force;
          const Eigen::Matrix3d gradient =
              map_gradient_at(velocities[t], pair.path[t][i]) - Eigen::Matrix3d::Identity();
          force -= (gradient.transpose() * force).cwiseQuotient(spacing_);
        }
      }
    });
  }
  return weight_ * relative_;
}

void SurfaceForces::add_along(std::size_t step, VectorField& force) const {
  for (const GridPair& pair : pairs_) add_at(force, pair.path[step], pair.forces_along[step]);
}

void SurfaceForces::add(VectorField& force) const {
  for (const GridPair& pair : pairs_) add_at(force, pair.indices, pair.forces);
}

}  // namespace isolume::anatomy
