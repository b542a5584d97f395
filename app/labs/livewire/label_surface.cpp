#include "app/labs/livewire/label_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <vtkAppendPolyData.h>
#include <vtkImageData.h>
#include <vtkImageGaussianSmooth.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>

#include "app/scene/lattice_image.h"
#include "app/scene/mesh_file.h"
#include "app/scene/surface.h"
#include "core/base/error.h"
#include "core/contours/distance_map.h"
#include "core/contours/label_map.h"
#include "core/dispatch/dispatch.h"

namespace isolume::labs::livewire {
namespace {

constexpr double cut_off = 3;  ///< of the Gaussian, in standard deviations

/// Voxels from `low` on, `size` in number; may reach beyond the image.
struct Box {
  std::array<int, 3> low, size;

  std::size_t count() const {
    return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
           static_cast<std::size_t>(size[2]);
  }
};

/// Calls `visit` with the places (i, j, k) of the label's voxels in the box.
template <class Visit>
void for_each_voxel(const images::Volume& map, int label, const Box& box, const jobs::Progress& progress,
                    const Visit& visit) {
  std::array<int, 3> first{}, end{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    first[axis] = std::max(box.low[axis], 0);
    end[axis] = std::min(box.low[axis] + box.size[axis], map.geometry.size[axis]);
  }
  const auto width = static_cast<std::size_t>(map.geometry.size[0]),
             height = static_cast<std::size_t>(map.geometry.size[1]);
  images::visit_pixel_type(map.type, [&](auto pixel) {
    for (int k = first[2]; k < end[2]; ++k) {
      progress.check();
      for (int j = first[1]; j < end[1]; ++j) {
        const auto* row = map.pixels<decltype(pixel)>() +
                          (static_cast<std::size_t>(k) * height + static_cast<std::size_t>(j)) * width;
        for (int i = first[0]; i < end[0]; ++i) {
          if (static_cast<double>(row[i]) == label) visit(std::array{i, j, k});
        }
      }
    }
  });
}

/// What a label fills.
struct Extent {
  std::array<int, 3> low{1 << 30, 1 << 30, 1 << 30}, high{-1, -1, -1};
  std::size_t voxels = 0;

  /// With room for the smoothed distance to fall off.
  Box box(const Eigen::Vector3d& deviation) const {
    Box result{low, {}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int margin =
          static_cast<int>(std::ceil(cut_off * deviation[static_cast<Eigen::Index>(axis)])) + 2;
      result.low[axis] -= margin;
      result.size[axis] = high[axis] - low[axis] + 1 + 2 * margin;
    }
    return result;
  }
};

Extent extent_of(const images::Volume& map, int label, const jobs::Progress& progress) {
  Extent extent;
  for_each_voxel(map, label, {{0, 0, 0}, map.geometry.size}, progress, [&](const std::array<int, 3>& place) {
    ++extent.voxels;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      extent.low[axis] = std::min(extent.low[axis], place[axis]);
      extent.high[axis] = std::max(extent.high[axis], place[axis]);
    }
  });
  return extent;
}

/// In mm, positive inside, zero halfway between a voxel inside and its neighbour outside.
lattice::ScalarField signed_distance(const images::Volume& map, int label, const Box& box,
                                     const jobs::Progress& progress) {
  constexpr std::uint8_t inside = 1, outside = 2;
  std::vector<std::uint8_t> mask(box.count(), outside);
  for_each_voxel(map, label, box, progress, [&](const std::array<int, 3>& place) {
    std::size_t at = 0;
    for (const std::size_t axis : {2U, 1U, 0U}) {
      at = at * static_cast<std::size_t>(box.size[axis]) +
           static_cast<std::size_t>(place[axis] - box.low[axis]);
    }
    mask[at] = inside;
  });
  const auto& geometry = map.geometry;
  lattice::ScalarField field;
  field.values =
      contours::squared_distances_mm2(mask, outside, box.size, geometry.spacing_mm, progress.part(0, 0.5));
  const auto to_inside =
      contours::squared_distances_mm2(mask, inside, box.size, geometry.spacing_mm, progress.part(0.5, 1));
  for (std::size_t at = 0; at < mask.size(); ++at) {
    field.values[at] = std::sqrt(field.values[at]) - std::sqrt(to_inside[at]);
  }
  const Eigen::Vector3d low(box.low[0], box.low[1], box.low[2]);
  field.lattice.dimensions = box.size;
  field.lattice.unit = lattice::LengthUnit::millimetre;
  field.lattice.origin = geometry.position_mm(low);
  field.lattice.step = geometry.direction * geometry.spacing_mm.asDiagonal();
  return field;
}

void smooth(lattice::ScalarField& field, const Eigen::Vector3d& deviation) {
  const auto image = scene::lattice_image(field);
  vtkNew<vtkImageGaussianSmooth> filter;
  filter->SetInputData(image);
  filter->SetDimensionality(3);
  filter->SetStandardDeviations(deviation.data());
  filter->SetRadiusFactors(cut_off, cut_off, cut_off);
  filter->Update();
  const auto* smoothed = static_cast<const float*>(filter->GetOutput()->GetScalarPointer());
  std::copy_n(smoothed, field.values.size(), field.values.begin());
}

/// Between the `count`-th largest value and the next.
double level_with(const lattice::ScalarField& field, std::size_t count) {
  auto values = field.values;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::nth_element(values, place, std::greater<>());
  return (*place + *std::min_element(values.begin(), place)) / 2;
}

}  // namespace

vtkSmartPointer<vtkPolyData> surface_of_label(const images::Volume& map, int label,
                                              const jobs::Progress& progress) {
  const auto& spacing_mm = map.geometry.spacing_mm;
  const Eigen::Vector3d deviation =
      Eigen::Vector3d::Constant(0.75 * spacing_mm.maxCoeff()).cwiseQuotient(spacing_mm);
  const Extent extent = extent_of(map, label, progress);
  if (extent.voxels == 0) return vtkSmartPointer<vtkPolyData>::New();
  const Box box = extent.box(deviation);
  dispatch::require_memory("The surface", box.count() * (4 * sizeof(float) + 1),
                           "Close other programs, or cut the image to the part you need.");
  auto field = signed_distance(map, label, box, progress.part(0, 0.6));
  smooth(field, deviation);
  progress.check();
  progress.report(0.8, "surface");
  const double level = level_with(field, extent.voxels);
  // The scene's contours are of positive values.
  constexpr float isovalue = 1;
  for (float& value : field.values) value += isovalue - static_cast<float>(level);
  return scene::contour(field, isovalue, false, progress.part(0.8, 1)).positive.mesh;
}

std::vector<LabelSurface> surfaces_of(const contours::ContourSet& set, const images::Geometry& geometry,
                                      const jobs::Progress& progress) {
  const auto map = contours::label_map(set, geometry, progress.part(0, 0.1));
  std::vector<LabelSurface> surfaces;
  const auto count = static_cast<double>(set.labels().size());
  for (std::size_t i = 0; i < set.labels().size(); ++i) {
    const auto& label = set.labels()[i];
    const auto part = progress.part(0.1 + 0.9 * static_cast<double>(i) / count,
                                    0.1 + 0.9 * static_cast<double>(i + 1) / count);
    auto mesh = surface_of_label(map, label.value, part);
    if (mesh->GetNumberOfPolys() > 0) surfaces.push_back({label, std::move(mesh)});
  }
  progress.report(1, "surface");
  return surfaces;
}

void export_surfaces(const std::vector<LabelSurface>& surfaces, const std::filesystem::path& path) {
  if (surfaces.empty()) throw Error(fmt::format("{}: there is no surface to export.", path.string()));
  vtkNew<vtkAppendPolyData> all;
  for (const auto& surface : surfaces) {
    vtkNew<vtkPolyData> copy;
    copy->ShallowCopy(surface.mesh);
    vtkNew<vtkIntArray> labels;
    labels->SetName("label");
    labels->SetNumberOfTuples(copy->GetNumberOfPoints());
    labels->Fill(surface.label.value);
    copy->GetPointData()->AddArray(labels);
    all->AddInputData(copy);
  }
  all->Update();
  scene::write_mesh(*all->GetOutput(), "surfaces of labels, in mm", path);
}

}  // namespace isolume::labs::livewire
