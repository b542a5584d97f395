#include "core/anatomy/image.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/image_files/read_image.h"
#include "core/images/vectors.h"

namespace isolume::anatomy {
namespace {

namespace fs = std::filesystem;

std::string counts_text(const grid::Grid& grid) {
  return fmt::format("{} x {} x {} voxels", grid.dimensions[0], grid.dimensions[1], grid.dimensions[2]);
}

/// One component of all vectors, in mm along an axis of the patient.
FieldValues component_mm(const grid::Grid& grid, const volumes::VectorField& field, int row) {
  FieldValues result(field.components[0].size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
      sum += grid.step(row, axis) * static_cast<double>(field.components[static_cast<std::size_t>(axis)][i]);
    result[i] = static_cast<float>(sum);
  }
  return result;
}

/// Interpolation reads two neighbours of a row at once.
void require_rows(const grid::Grid& grid, const std::string& name) {
  if (grid.dimensions[0] > 1) return;
  throw Error(fmt::format("{} has {}, and at least two are needed along the first axis. Reorder its axes.",
                          name, counts_text(grid)));
}

constexpr double largest_whole_float32 = 1 << 24;
constexpr double largest_voxel_mm = 100;  ///< of a body; those of a header in another unit are larger

/// The largest magnitude of values that are whole numbers by their type; 0 for others.
double largest_whole_number(const images::Volume& volume) {
  const bool is_wide = volume.type == images::PixelType::int32 || volume.type == images::PixelType::uint32;
  if (!is_wide || volume.slope != 1) return 0;
  const images::ValueRange range = images::value_range(volume);
  return std::max(std::abs(range.low), std::abs(range.high));
}

float least_value(std::span<const float> values) {
  return *std::ranges::min_element(values);
}

}  // namespace

Image read_image(const fs::path& path, const jobs::Progress& progress) {
  const images::Document document = images::read_image(
      path, {.series_uid = {}, .mentions_others = false, .mentions_not_finite = false}, progress);
  Image image{.field = images::field_of(document.volume), .remarks = document.remarks};
  if (document.time.has_several()) {
    image.remarks.dropped(fmt::format("It has {} volumes, and the first one is used.", document.time.count()),
                          static_cast<std::size_t>(document.time.count() - 1));
  }
  if (document.volume.colours != nullptr)
    image.remarks.converted("Its colours are taken as their luminance (ITU-R BT.601).");
  if (const double largest = largest_whole_number(document.volume); largest > largest_whole_float32) {
    image.remarks.converted(fmt::format(
        "Its values reach {:.0f}: whole numbers above {:.0f} are rounded to float32. For label maps, use "
        "--labels.",
        largest, largest_whole_float32));
  }
  if (const double largest = image.grid().spacing().maxCoeff();
      image.grid().unit == grid::LengthUnit::millimetre && largest > largest_voxel_mm) {
    image.remarks.warn(fmt::format(
        "Its voxels have edges of up to {:.4g} mm. Check the unit of length in its header.", largest));
  }
  auto& values = image.field.values;
  const auto is_finite = [](float each) { return std::isfinite(each); };
  const auto others = values.size() - static_cast<std::size_t>(std::ranges::count_if(values, is_finite));
  if (others == values.size())
    throw InputError(path, 0, "none of its values is finite", "Choose another image.");
  if (others > 0) {
    float least = std::numeric_limits<float>::max();
    for (const float each : values) {
      if (std::isfinite(each)) least = std::min(least, each);
    }
    std::ranges::replace_if(
        values, [&](float each) { return !is_finite(each); }, least);
    image.remarks.corrected(fmt::format("{} not finite (NaN or infinite): {} is taken, the least value.",
                                        counted(others, "value is", "values are"), least),
                            others);
  }
  return image;
}

Remarks write_image(const grid::Grid& grid, FieldValues values, const fs::path& path) {
  const auto field = std::make_shared<grid::ScalarField>(
      grid::ScalarField{.grid = grid, .values = std::move(values), .name = {}, .unit = {}});
  return images::write_volume(images::volume_of(field), path);
}

void write_displacements(const grid::Grid& grid, const volumes::VectorField& field, const fs::path& path) {
  images::Geometry geometry;
  static_cast<grid::Grid&>(geometry) = grid;
  images::write_vectors(
      geometry, {component_mm(grid, field, 0), component_mm(grid, field, 1), component_mm(grid, field, 2)},
      path);
}

DisplacementImage read_displacements(const fs::path& path, const jobs::Progress& progress) {
  images::VectorVolume vectors = images::read_vectors(path, progress);
  require_registrable(vectors.geometry, path.string());
  return displacements_in_voxels(vectors.geometry, vectors.components, path, std::move(vectors.remarks));
}

DisplacementImage displacements_in_voxels(const grid::Grid& grid, const std::array<FieldValues, 3>& in_mm,
                                          const fs::path& path, Remarks remarks) {
  DisplacementImage result{
      .grid = grid, .field = volumes::VectorField(grid.dimensions), .remarks = std::move(remarks)};
  const Eigen::Matrix3d to_voxels = grid.step.inverse();
  constexpr double most_voxels = 1e6;  // squares and products of float32 stay finite
  for (std::size_t i = 0; i < in_mm[0].size(); ++i) {
    const Eigen::Vector3d voxels =
        to_voxels * Eigen::Vector3d(static_cast<double>(in_mm[0][i]), static_cast<double>(in_mm[1][i]),
                                    static_cast<double>(in_mm[2][i]));
    if (!(voxels.norm() <= most_voxels)) {
      throw InputError(path, 0,
                       fmt::format("displacement number {} is not finite or longer than {:.0f} voxels", i + 1,
                                   most_voxels),
                       "Write the field again.");
    }
    for (int axis = 0; axis < 3; ++axis)
      result.field.components[static_cast<std::size_t>(axis)][i] = static_cast<float>(voxels[axis]);
  }
  return result;
}

void require_registrable(const grid::Grid& grid, const std::string& name) {
  if (grid.unit != grid::LengthUnit::millimetre) {
    throw Error(fmt::format("{}: its lengths are in {}, and images are aligned in mm. Convert it to mm.",
                            name, to_text(grid.unit)));
  }
  if (!grid.is_orthogonal()) {
    throw Error(fmt::format(
        "{}: its axes are not at right angles (a tilted gantry). Resample it to a grid whose axes are.",
        name));
  }
  if (grid.dimensions[0] < 2 || grid.dimensions[1] < 2) {
    throw Error(fmt::format(
        "{}: it has {}, and at least two are needed along the first and the second axis. Reorder the "
        "axes of a single slice.",
        name, counts_text(grid)));
  }
}

bool same_positions(const grid::Grid& a, const grid::Grid& b) {
  if (a.dimensions != b.dimensions) return false;
  const Eigen::Vector3d last(a.dimensions[0] - 1, a.dimensions[1] - 1, a.dimensions[2] - 1);
  double farthest_mm = (a.origin - b.origin).norm();
  for (int axis = 0; axis < 3; ++axis) farthest_mm += (a.step - b.step).col(axis).norm() * last[axis];
  return farthest_mm < 1e-3 * a.spacing().minCoeff();
}

void require_same_unit(const grid::Grid& image, const grid::Grid& output) {
  if (image.unit == output.unit) return;
  throw Error(
      fmt::format("The lengths of the image are in {}, but those of the output in {}. Convert one of them.",
                  to_text(image.unit), to_text(output.unit)));
}

void require_common_points(std::size_t inside) {
  if (inside > 0) return;
  throw Error(
      "No point of the output lies inside the image. Check the positions in the headers, and the direction "
      "of the transforms: they map points of the output to points of the image.");
}

volumes::IndexMap index_map(const grid::Grid& from, const grid::Grid& to) {
  const Eigen::Matrix3d inverse = from.step.inverse();
  return {.matrix = inverse * to.step, .offset = inverse * (to.origin - from.origin)};
}

void require_same_kind(const grid::Grid& moving, const std::string& moving_name, const grid::Grid& fixed,
                       const std::string& fixed_name) {
  if (moving.unit != fixed.unit) {
    throw Error(fmt::format("{}: its lengths are in {}, but those of {} in {}. Convert one of them.",
                            moving_name, to_text(moving.unit), fixed_name, to_text(fixed.unit)));
  }
  if ((moving.dimensions[2] == 1) != (fixed.dimensions[2] == 1)) {
    throw Error(fmt::format("{} has {}, but {} has {}: a single slice cannot be aligned with a volume.",
                            moving_name, counts_text(moving), fixed_name, counts_text(fixed)));
  }
}

OnGrid on_grid(const Image& image, const grid::Grid& grid, const Eigen::Affine3d& map) {
  grid::Grid places = grid;
  places.origin = map * grid.origin;
  places.step = map.linear() * grid.step;
  OnGrid result{.values = FieldValues(grid.point_count())};
  if (same_positions(image.grid(), places)) {
    std::ranges::copy(image.values(), result.values.begin());
    result.inside = result.values.size();
    return result;
  }
  result.inside = volumes::resample(image.values(), image.grid().dimensions, index_map(image.grid(), places),
                                    nullptr, grid.dimensions, least_value(image.values()), result.values);
  return result;
}

Resampled resampled(const Image& moving, const std::string& moving_name, const grid::Grid& fixed,
                    const std::string& fixed_name, const Eigen::Affine3d& map) {
  require_same_kind(moving.grid(), moving_name, fixed, fixed_name);
  require_rows(moving.grid(), moving_name);
  OnGrid there = on_grid(moving, fixed, map);
  if (there.inside == 0) {
    throw Error(
        fmt::format("{} and {} do not overlap, by the positions in their headers. Check their origins and "
                    "orientations, or search a linear map.",
                    moving_name, fixed_name));
  }
  Resampled result{.values = std::move(there.values), .remarks = {}};
  if (same_positions(moving.grid(), fixed)) return result;
  result.remarks.converted(
      fmt::format("{} has {} and was resampled to the grid of {} ({}): {:.1f} % of that grid lies inside it.",
                  moving_name, counts_text(moving.grid()), fixed_name, counts_text(fixed),
                  100 * static_cast<double>(there.inside) / static_cast<double>(result.values.size())));
  return result;
}

FieldValues moved(const Image& image, const DisplacementImage& by, bool is_nearest) {
  FieldValues result(by.grid.point_count());
  const volumes::IndexMap map = index_map(image.grid(), by.grid);
  const volumes::Counts& counts = image.grid().dimensions;
  const float outside = least_value(image.values());
  require_rows(image.grid(), "The image");
  require_same_unit(image.grid(), by.grid);
  if (!is_nearest) {
    require_common_points(
        volumes::resample(image.values(), counts, map, &by.field, by.grid.dimensions, outside, result));
    return result;
  }
  std::size_t inside = 0;
  const volumes::Counts& to = by.grid.dimensions;
  std::size_t i = 0;
  for (int z = 0; z < to[2]; ++z) {
    for (int y = 0; y < to[1]; ++y) {
      for (int x = 0; x < to[0]; ++x, ++i) {
        const Eigen::Vector3d place(x + static_cast<double>(by.field.data(0)[i]),
                                    y + static_cast<double>(by.field.data(1)[i]),
                                    z + static_cast<double>(by.field.data(2)[i]));
        const Eigen::Vector3d nearest = (map.matrix * place + map.offset).array().round();
        const bool is_inside = (nearest.array() >= 0).all() && nearest[0] < counts[0] &&
                               nearest[1] < counts[1] && nearest[2] < counts[2];
        inside += is_inside ? 1 : 0;
        result[i] =
            is_inside
                ? image.values()[(static_cast<std::size_t>(nearest[2]) * static_cast<std::size_t>(counts[1]) +
                                  static_cast<std::size_t>(nearest[1])) *
                                     static_cast<std::size_t>(counts[0]) +
                                 static_cast<std::size_t>(nearest[0])]
                : outside;
      }
    }
  }
  require_common_points(inside);
  return result;
}

}  // namespace isolume::anatomy
