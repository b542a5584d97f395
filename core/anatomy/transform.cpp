#include "core/anatomy/transform.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include <tbb/blocked_range.h>

#include "core/anatomy/transform_files.h"
#include "core/base/handover.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

using volumes::VectorField;

/// Calls `change(x, u)` for all voxels: their index, and the displacement there.
template <class Change>
void for_displacements(VectorField& field, const Change& change) {
  const volumes::Counts& counts = field.counts;
  const auto width = static_cast<std::size_t>(counts[0]);
  handover::parallel_for(tbb::blocked_range<int>(0, counts[1] * counts[2], 8), [&](const auto& part) {
    for (int row = part.begin(); row != part.end(); ++row) {
      for (std::size_t i = 0; i < width; ++i) {
        const std::size_t at = static_cast<std::size_t>(row) * width + i;
        Eigen::Vector3d u(static_cast<double>(field.data(0)[at]), static_cast<double>(field.data(1)[at]),
                          static_cast<double>(field.data(2)[at]));
        change(at, Eigen::Vector3d(static_cast<double>(i), row % counts[1], row / counts[1]), u);
        for (int axis = 0; axis < 3; ++axis)
          field.data(static_cast<std::size_t>(axis))[at] = static_cast<float>(u[axis]);
      }
    }
  });
}

void apply(const Eigen::Affine3d& map, DisplacementImage& so_far) {
  const Eigen::Matrix3d inverse = so_far.grid.step.inverse();
  const Eigen::Matrix3d matrix = inverse * map.linear() * so_far.grid.step;
  const Eigen::Vector3d offset = inverse * (map * so_far.grid.origin - so_far.grid.origin);
  for_displacements(so_far.field, [&](std::size_t, const Eigen::Vector3d& index, Eigen::Vector3d& u) {
    u = matrix * (index + u) + offset - index;
  });
}

void apply(const DisplacementImage& by, DisplacementImage& so_far) {
  const volumes::IndexMap map = index_map(by.grid, so_far.grid);
  VectorField found(so_far.grid.dimensions);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    volumes::resample({by.field.data(axis), by.grid.point_count()}, by.grid.dimensions, map, &so_far.field,
                      so_far.grid.dimensions, 0, {found.data(axis), so_far.grid.point_count()});
  }
  const Eigen::Matrix3d to_voxels = map.matrix.inverse();
  for_displacements(so_far.field, [&](std::size_t at, const Eigen::Vector3d&, Eigen::Vector3d& u) {
    u += to_voxels * Eigen::Vector3d(static_cast<double>(found.data(0)[at]),
                                     static_cast<double>(found.data(1)[at]),
                                     static_cast<double>(found.data(2)[at]));
  });
}

}  // namespace

std::optional<Eigen::Affine3d> Transform::linear() const {
  Eigen::Affine3d product = Eigen::Affine3d::Identity();
  for (const Step& step : steps_) {
    const auto* map = std::get_if<Eigen::Affine3d>(&step);
    if (map == nullptr) return std::nullopt;
    product = *map * product;
  }
  return product;
}

const grid::Grid* Transform::first_grid() const {
  const auto* field = steps_.empty() ? nullptr : std::get_if<Field>(&steps_.front());
  return field == nullptr ? nullptr : &(*field)->grid;
}

TransformFile read_transform(const std::filesystem::path& path, const jobs::Progress& progress) {
  if (is_linear_file(path)) {
    TransformFile found;
    for (Transform::Step& step : read_itk(path, progress)) found.transform.append(Transform(std::move(step)));
    return found;
  }
  DisplacementImage field = read_displacements(path, progress);
  Remarks remarks = std::exchange(field.remarks, {});
  return {.transform = Transform(std::make_shared<const DisplacementImage>(std::move(field))),
          .remarks = std::move(remarks)};
}

Eigen::Vector3d point_at(const Transform& transform, const Eigen::Vector3d& point) {
  // A grid whose only voxel is the point.
  grid::Grid there;
  there.origin = point;
  there.dimensions = {1, 1, 1};
  there.unit = grid::LengthUnit::millimetre;
  const DisplacementImage moved = displacements_of(transform, there);
  return point + Eigen::Vector3d(static_cast<double>(moved.field.data(0)[0]),
                                 static_cast<double>(moved.field.data(1)[0]),
                                 static_cast<double>(moved.field.data(2)[0]));
}

DisplacementImage displacements_of(const Transform& transform, const grid::Grid& grid,
                                   const jobs::Progress& progress) {
  const grid::Grid* first = transform.first_grid();
  if (transform.steps().size() == 1 && first != nullptr && *first == grid)
    return *std::get<Transform::Field>(transform.steps().front());
  DisplacementImage result{.grid = grid, .field = volumes::zero_field(grid.dimensions), .remarks = {}};
  double done = 0;
  for (const Transform::Step& step : transform.steps()) {
    progress.check();
    if (const auto* map = std::get_if<Eigen::Affine3d>(&step))
      apply(*map, result);
    else
      apply(*std::get<Transform::Field>(step), result);
    progress.report(++done / static_cast<double>(transform.steps().size()));
  }
  return result;
}

volumes::VectorField displacement_then(const grid::Grid& grid, const volumes::VectorField& displacement,
                                       const Eigen::Affine3d& map) {
  if (map.isApprox(Eigen::Affine3d::Identity(), 0)) return displacement;
  Transform whole(std::make_shared<const DisplacementImage>(
      DisplacementImage{.grid = grid, .field = displacement, .remarks = {}}));
  whole.append(Transform(map));
  return displacements_of(whole, grid).field;
}

InverseTransform inverse_of(const Transform& transform, const jobs::Progress& progress) {
  InverseTransform result;
  for (const Transform::Step& step : transform.steps() | std::views::reverse) {
    progress.check();
    if (const auto* map = std::get_if<Eigen::Affine3d>(&step)) {
      result.transform.append(Transform(map->inverse()));
      continue;
    }
    const DisplacementImage& field = *std::get<Transform::Field>(step);
    volumes::Inverse inverse = volumes::inverted(field.field, 1e-3, 100, progress);
    result.largest_residual = std::max(result.largest_residual, inverse.largest_residual);
    result.unsolved += inverse.unsolved;
    result.transform.append(Transform(std::make_shared<const DisplacementImage>(
        DisplacementImage{.grid = field.grid, .field = std::move(inverse.field), .remarks = {}})));
  }
  return result;
}

}  // namespace isolume::anatomy
