#include "app/scene/surfaces/label_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <vtkAppendPolyData.h>
#include <vtkCellArray.h>
#include <vtkCellArrayIterator.h>
#include <vtkImageData.h>
#include <vtkImageGaussianSmooth.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkTypeInt64Array.h>

#include "app/scene/files/grid_image.h"
#include "app/scene/files/mesh_file.h"
#include "app/scene/surfaces/surface.h"
#include "core/base/error.h"
#include "core/contours/distance_map.h"
#include "core/contours/label_map.h"
#include "core/dispatch/dispatch.h"

namespace isolume::scene {
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

/// With room for the smoothed distance to fall off.
Box box_around(const contours::LabelMask& mask, const Eigen::Vector3d& deviation) {
  Box box{mask.low, mask.size};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int margin = static_cast<int>(std::ceil(cut_off * deviation[static_cast<Eigen::Index>(axis)])) + 2;
    box.low[axis] -= margin;
    box.size[axis] += 2 * margin;
  }
  return box;
}

/// In mm, positive inside, zero halfway between a voxel inside and its neighbour outside.
grid::ScalarField signed_distance(const contours::LabelMask& label, const grid::Grid& grid, const Box& box,
                                  const jobs::Progress& progress) {
  constexpr std::uint8_t inside = 1, outside = 2;
  std::vector<std::uint8_t> mask(box.count(), outside);
  for (int k = 0; k < label.size[2]; ++k) {
    progress.check();
    for (int j = 0; j < label.size[1]; ++j) {
      const std::uint8_t* from = label.row(j, k);
      const auto row =
          static_cast<std::size_t>(label.low[2] + k - box.low[2]) * static_cast<std::size_t>(box.size[1]) +
          static_cast<std::size_t>(label.low[1] + j - box.low[1]);
      std::uint8_t* to =
          mask.data() + row * static_cast<std::size_t>(box.size[0]) + (label.low[0] - box.low[0]);
      for (int i = 0; i < label.size[0]; ++i) {
        if (from[i] != 0) to[i] = inside;
      }
    }
  }
  grid::ScalarField field;
  field.values =
      contours::squared_distances_mm2(mask, outside, box.size, grid.spacing(), progress.part(0, 0.5));
  const auto to_inside =
      contours::squared_distances_mm2(mask, inside, box.size, grid.spacing(), progress.part(0.5, 1));
  for (std::size_t at = 0; at < mask.size(); ++at) {
    field.values[at] = std::sqrt(field.values[at]) - std::sqrt(to_inside[at]);
  }
  const Eigen::Vector3d low(box.low[0], box.low[1], box.low[2]);
  field.grid.dimensions = box.size;
  field.grid.unit = grid::LengthUnit::millimetre;
  field.grid.origin = grid.position(low);
  field.grid.step = grid.step;
  return field;
}

void smooth(grid::ScalarField& field, const Eigen::Vector3d& deviation) {
  const auto image = grid_image(field);
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
double level_with(const grid::ScalarField& field, std::size_t count) {
  auto values = field.values;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::nth_element(values, place, std::greater<>());
  return (*place + *std::min_element(values.begin(), place)) / 2;
}

struct Extent {
  double volume_mm3 = 0, area_mm2 = 0;
};

/// Of a closed mesh of triangles, by Gauss's theorem.
Extent extent_of(vtkPolyData& mesh) {
  Extent extent;
  if (mesh.GetNumberOfPoints() == 0) return extent;
  const Eigen::Vector3d origin(mesh.GetPoint(0));
  const auto corner = [&](vtkIdType point) -> Eigen::Vector3d {
    return Eigen::Vector3d(mesh.GetPoint(point)) - origin;
  };
  vtkIdType count = 0;
  const vtkIdType* points = nullptr;
  auto cells = vtk::TakeSmartPointer(mesh.GetPolys()->NewIterator());
  for (cells->GoToFirstCell(); !cells->IsDoneWithTraversal(); cells->GoToNextCell()) {
    cells->GetCurrentCell(count, points);
    const Eigen::Vector3d a = corner(points[0]), b = corner(points[1]), c = corner(points[2]);
    extent.volume_mm3 += a.dot(b.cross(c)) / 6;
    extent.area_mm2 += (b - a).cross(c - a).norm() / 2;
  }
  extent.volume_mm3 = std::abs(extent.volume_mm3);
  return extent;
}

vtkSmartPointer<vtkPolyData> surface_at(const grid::ScalarField& field, double level,
                                        const jobs::Progress& progress) {
  grid::ScalarField shifted = field;
  // The scene's contours are of positive values.
  constexpr float isovalue = 1;
  for (float& value : shifted.values) value += isovalue - static_cast<float>(level);
  return contour(shifted, isovalue, false, progress).positive.mesh;
}

/// Where as much volume lies within as wanted, to a thousandth: by secants, the first one as of a distance, whose
/// surface moves a millimetre each millimetre; by bisection where they leave what is known.
vtkSmartPointer<vtkPolyData> surface_with_volume(const grid::ScalarField& field, double level,
                                                 double volume_mm3, const jobs::Progress& progress) {
  constexpr int most_steps = 20;
  constexpr double tolerance = 1e-3;
  const auto [least, most] = std::ranges::minmax(field.values);
  double low = least, high = most;                // levels with too much and with too little within
  std::optional<std::pair<double, double>> last;  // level and volume
  vtkSmartPointer<vtkPolyData> mesh;
  for (int step = 0; step < most_steps; ++step) {
    mesh = surface_at(field, level, progress);
    const Extent extent = extent_of(*mesh);
    const double missing = volume_mm3 - extent.volume_mm3;
    if (std::abs(missing) <= tolerance * volume_mm3) break;
    (missing > 0 ? high : low) = level;
    const double slope = last ? (extent.volume_mm3 - last->second) / (level - last->first) : -extent.area_mm2;
    last = {level, extent.volume_mm3};
    const double next = level + missing / slope;
    level = next > low && next < high ? next : (low + high) / 2;  // also where the slope is 0
  }
  return mesh;
}

}  // namespace

vtkSmartPointer<vtkPolyData> surface_of_label(const contours::LabelMask& mask, const grid::Grid& grid,
                                              const jobs::Progress& progress) {
  const auto voxels = static_cast<std::size_t>(std::ranges::count(mask.values, std::uint8_t{1}));
  if (voxels == 0) return vtkSmartPointer<vtkPolyData>::New();
  const auto& spacing_mm = grid.spacing();
  const Eigen::Vector3d deviation =
      Eigen::Vector3d::Constant(0.75 * spacing_mm.maxCoeff()).cwiseQuotient(spacing_mm);
  const Box box = box_around(mask, deviation);
  dispatch::require_memory("The surface", box.count() * (5 * sizeof(float) + 1),
                           "Close other programs, or cut the image to the part you need.");
  auto field = signed_distance(mask, grid, box, progress.part(0, 0.6));
  smooth(field, deviation);
  progress.check();
  progress.report(0.8, "surface");
  return surface_with_volume(field, level_with(field, voxels),
                             static_cast<double>(voxels) * grid.cell_volume(), progress.part(0.8, 1));
}

double volume_mm3(vtkPolyData& mesh) {
  return extent_of(mesh).volume_mm3;
}

vtkSmartPointer<vtkPolyData> joined(const std::vector<LabelMesh>& meshes) {
  auto all = vtkSmartPointer<vtkPolyData>::New();
  if (meshes.empty()) return all;
  vtkNew<vtkAppendPolyData> append;
  for (const LabelMesh& each : meshes) {
    vtkNew<vtkPolyData> copy;
    copy->ShallowCopy(each.mesh);
    vtkNew<vtkTypeInt64Array> labels;
    labels->SetName("label");
    labels->SetNumberOfTuples(copy->GetNumberOfPoints());
    labels->Fill(static_cast<double>(each.label));
    copy->GetPointData()->AddArray(labels);
    append->AddInputData(copy);
  }
  append->Update();
  all->ShallowCopy(append->GetOutput());
  return all;
}

void write_label_meshes(const std::vector<LabelMesh>& meshes, const std::filesystem::path& path) {
  if (meshes.empty()) throw Error(fmt::format("{}: there is no surface to export.", path.string()));
  write_mesh(*joined(meshes), "surfaces of labels, in mm", path);
}

}  // namespace isolume::scene
