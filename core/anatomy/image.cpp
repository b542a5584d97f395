#include "core/anatomy/image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/packer.h"
#include "core/image_files/read_image.h"
#include "core/images/file_format.h"
#include "core/images/nifti_layout.h"

namespace isolume::anatomy {
namespace {

namespace fs = std::filesystem;

std::string counts_text(const grid::Grid& grid) {
  return fmt::format("{} x {} x {} voxels", grid.dimensions[0], grid.dimensions[1], grid.dimensions[2]);
}

/// A header of NIfTI-1 for vectors in mm; the sform alone gives positions.
class VectorHeader {
 public:
  explicit VectorHeader(const grid::Grid& grid) {
    using images::nifti_1;
    put(0, static_cast<std::int32_t>(nifti_1.header_bytes));
    const std::array<int, 8> sizes{5, grid.dimensions[0], grid.dimensions[1], grid.dimensions[2], 1, 3, 1, 1};
    for (std::size_t i = 0; i < 8; ++i) put(nifti_1.dim + 2 * i, static_cast<std::int16_t>(sizes[i]));
    constexpr std::size_t intent_code = 68;  // nifti1.h
    constexpr std::int16_t vector = 1007, float32 = 16, scanner = 1;
    put(intent_code, vector);
    put(nifti_1.datatype, float32);
    put(nifti_1.bits_per_voxel, std::int16_t{32});
    put(nifti_1.pixdim, 1.F);
    for (int axis = 0; axis < 3; ++axis)
      put(nifti_1.pixdim + 4 * (static_cast<std::size_t>(axis) + 1), static_cast<float>(grid.spacing(axis)));
    put(nifti_1.vox_offset, static_cast<float>(bytes_.size()));
    put(nifti_1.slope, 1.F);
    put<char>(nifti_1.units, 2);  // mm
    put(nifti_1.sform_code, scanner);
    for (int row = 0; row < 3; ++row) {
      const double to_ras = row < 2 ? -1 : 1;
      for (int column = 0; column < 4; ++column) {
        const double number = column < 3 ? grid.step(row, column) : grid.origin[row];
        put(nifti_1.sform + 4 * static_cast<std::size_t>(4 * row + column),
            static_cast<float>(to_ras * number + 0.0));
      }
    }
    std::memcpy(bytes_.data() + nifti_1.magic, "n+1", 4);
  }
  const char* bytes() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  template <class Number>
  void put(std::size_t at, Number number) {
    std::memcpy(bytes_.data() + at, &number, sizeof number);
  }
  std::array<char, images::nifti_1.header_bytes + 4> bytes_{};  // four for no extension
};

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

/// Without the remark on how a window shows one of several volumes.
Remarks remarks_of(const images::Document& document) {
  Remarks remarks;
  for (const Remark& each : document.remarks) {
    if (each.text.find("one is shown at a time") == std::string::npos)
      remarks.add(each.kind, each.text, each.count);
  }
  return remarks;
}

/// Whether all voxels of two grids of the same counts have the same places, to the precision of headers.
bool same_places(const grid::Grid& a, const grid::Grid& b) {
  if (a.dimensions != b.dimensions) return false;
  const Eigen::Vector3d last(a.dimensions[0] - 1, a.dimensions[1] - 1, a.dimensions[2] - 1);
  double farthest_mm = (a.origin - b.origin).norm();
  for (int axis = 0; axis < 3; ++axis) farthest_mm += (a.step - b.step).col(axis).norm() * last[axis];
  return farthest_mm < 1e-3 * a.spacing().minCoeff();
}

float least_value(std::span<const float> values) {
  return *std::ranges::min_element(values);
}

}  // namespace

Image read_image(const fs::path& path, const jobs::Progress& progress) {
  const images::Document document = images::read_image(path, {}, progress);
  Image image{.field = images::field_of(document.volume), .remarks = remarks_of(document)};
  if (document.time_points.size() > 1) {
    image.remarks.dropped(
        fmt::format("It has {} volumes, and the first one is used.", document.time_points.size()),
        document.time_points.size() - 1);
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
  const bool is_packed = images::ends_with_suffix(path, ".nii.gz");
  if (!is_packed && !images::ends_with_suffix(path, ".nii")) {
    throw Error(
        fmt::format("{}: displacements are written as .nii or .nii.gz. Choose one of these.", path.string()));
  }
  if (std::ranges::max(grid.dimensions) > std::numeric_limits<std::int16_t>::max()) {
    throw Error(fmt::format("{}: NIfTI holds at most {} voxels along an axis, and the image has {}.",
                            path.string(), std::numeric_limits<std::int16_t>::max(),
                            std::ranges::max(grid.dimensions)));
  }
  const VectorHeader header(grid);
  AtomicFile file(path);
  const auto put = [&](const auto& sink) {
    sink(header.bytes(), header.size());
    for (int row = 0; row < 3; ++row) {
      const FieldValues component = component_mm(grid, field, row);
      sink(reinterpret_cast<const char*>(component.data()), component.size() * sizeof(float));
    }
  };
  if (is_packed) {
    Packer packer(file.stream(), Packing::gzip);
    put([&](const char* bytes, std::size_t size) { packer.put(bytes, size); });
    packer.finish();
  } else {
    put([&](const char* bytes, std::size_t size) {
      file.stream().write(bytes, static_cast<std::streamsize>(size));
    });
  }
  file.commit();
}

DisplacementImage read_displacements(const fs::path& path, const jobs::Progress& progress) {
  const images::Document first = images::read_image(path, {}, progress);
  if (images::format_of(path) != images::ImageFormat::nifti || first.time_points.size() != 3) {
    throw InputError(path, 0, "this is not a field of displacements, which has three numbers in each voxel",
                     "Choose the NIfTI file that --field has written, or a warp of ANTs.");
  }
  DisplacementImage result{.grid = first.volume.geometry,
                           .field = volumes::VectorField(first.volume.geometry.dimensions),
                           .remarks = remarks_of(first)};
  require_registrable(result.grid, path.string());
  std::array<FieldValues, 3> in_mm;
  in_mm[0] = images::field_of(first.volume).values;
  for (int component = 1; component < 3; ++component) {
    in_mm[static_cast<std::size_t>(component)] =
        images::field_of(
            images::read_image(path, {.series_uid = {}, .time_point = component}, progress).volume)
            .values;
  }
  const Eigen::Matrix3d to_voxels = result.grid.step.inverse();
  for (std::size_t i = 0; i < in_mm[0].size(); ++i) {
    const Eigen::Vector3d voxels =
        to_voxels * Eigen::Vector3d(static_cast<double>(in_mm[0][i]), static_cast<double>(in_mm[1][i]),
                                    static_cast<double>(in_mm[2][i]));
    if (!voxels.allFinite()) {
      throw InputError(path, 0, fmt::format("displacement number {} is not finite", i + 1),
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

volumes::IndexMap index_map(const grid::Grid& from, const grid::Grid& to) {
  const Eigen::Matrix3d inverse = from.step.inverse();
  return {.matrix = inverse * to.step, .offset = inverse * (to.origin - from.origin)};
}

Resampled resampled(const Image& moving, const std::string& moving_name, const grid::Grid& fixed,
                    const std::string& fixed_name) {
  if (moving.grid().unit != fixed.unit) {
    throw Error(fmt::format("{}: its lengths are in {}, but those of {} in {}. Convert one of them.",
                            moving_name, to_text(moving.grid().unit), fixed_name, to_text(fixed.unit)));
  }
  if ((moving.grid().dimensions[2] == 1) != (fixed.dimensions[2] == 1)) {
    throw Error(fmt::format("{} has {}, but {} has {}: a single slice cannot be aligned with a volume.",
                            moving_name, counts_text(moving.grid()), fixed_name, counts_text(fixed)));
  }
  Resampled result{.values = FieldValues(fixed.point_count()), .remarks = {}};
  if (same_places(moving.grid(), fixed)) {
    std::ranges::copy(moving.values(), result.values.begin());
    return result;
  }
  const std::size_t inside =
      volumes::resample(moving.values(), moving.grid().dimensions, index_map(moving.grid(), fixed), nullptr,
                        fixed.dimensions, least_value(moving.values()), result.values);
  if (inside == 0) {
    throw Error(
        fmt::format("{} and {} do not overlap, by the positions in their headers. Check their origins and "
                    "orientations.",
                    moving_name, fixed_name));
  }
  result.remarks.converted(
      fmt::format("It has {} and was resampled to the grid of {} ({}): {:.1f} % of that grid lie inside it.",
                  counts_text(moving.grid()), fixed_name, counts_text(fixed),
                  100 * static_cast<double>(inside) / static_cast<double>(result.values.size())));
  return result;
}

FieldValues moved(const Image& image, const DisplacementImage& by, bool is_nearest) {
  FieldValues result(by.grid.point_count());
  const volumes::IndexMap map = index_map(image.grid(), by.grid);
  const volumes::Counts& counts = image.grid().dimensions;
  const float outside = least_value(image.values());
  if (!is_nearest) {
    volumes::resample(image.values(), counts, map, &by.field, by.grid.dimensions, outside, result);
    return result;
  }
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
  return result;
}

}  // namespace isolume::anatomy
