#include "app/scene/surfaces/touching_surfaces.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include <vtkCellArray.h>
#include <vtkCellArrayIterator.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkDiscreteMarchingCubes.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkWindowedSincPolyDataFilter.h>

#include "core/dispatch/dispatch.h"

namespace isolume::scene {
namespace {

using Index = std::array<int, 3>;

struct Crop {
  Index low{}, size{};
};

/// Voxels of wanted labels, and one more on each side, so that surfaces are closed. Size 0: there are none.
Crop crop_around(const grid::Grid& grid, std::span<const std::uint32_t> numbers,
                 const std::vector<bool>& is_wanted) {
  const auto& n = grid.dimensions;
  Index low = n, high{-1, -1, -1};
  std::size_t at = 0;
  for (int z = 0; z < n[2]; ++z) {
    for (int y = 0; y < n[1]; ++y) {
      for (int x = 0; x < n[0]; ++x, ++at) {
        if (!is_wanted[numbers[at]]) continue;
        low = {std::min(low[0], x), std::min(low[1], y), std::min(low[2], z)};
        high = {std::max(high[0], x), std::max(high[1], y), std::max(high[2], z)};
      }
    }
  }
  if (high[0] < 0) return {};
  return {{low[0] - 1, low[1] - 1, low[2] - 1},
          {high[0] - low[0] + 3, high[1] - low[1] + 3, high[2] - low[2] + 3}};
}

/// Numbers of wanted labels from 1, 0 elsewhere, in mm along the axes of the grid from its first voxel.
vtkSmartPointer<vtkImageData> image_of(const grid::Grid& grid, std::span<const std::uint32_t> numbers,
                                       const std::vector<bool>& is_wanted, const Crop& box) {
  auto image = vtkSmartPointer<vtkImageData>::New();
  image->SetDimensions(box.size.data());
  const Eigen::Vector3d spacing = grid.spacing();
  image->SetSpacing(spacing.data());
  image->SetOrigin(box.low[0] * spacing[0], box.low[1] * spacing[1], box.low[2] * spacing[2]);
  image->AllocateScalars(VTK_INT, 1);
  auto* to = static_cast<int*>(image->GetScalarPointer());
  const auto& n = grid.dimensions;
  const auto is_inside = [&](int place, std::size_t axis) { return place >= 0 && place < n[axis]; };
  for (int z = box.low[2]; z < box.low[2] + box.size[2]; ++z) {
    for (int y = box.low[1]; y < box.low[1] + box.size[1]; ++y) {
      for (int x = box.low[0]; x < box.low[0] + box.size[0]; ++x, ++to) {
        *to = 0;
        if (!is_inside(x, 0) || !is_inside(y, 1) || !is_inside(z, 2)) continue;
        const std::uint32_t number = numbers[(static_cast<std::size_t>(z) * static_cast<std::size_t>(n[1]) +
                                              static_cast<std::size_t>(y)) *
                                                 static_cast<std::size_t>(n[0]) +
                                             static_cast<std::size_t>(x)];
        if (is_wanted[number]) *to = static_cast<int>(number) + 1;
      }
    }
  }
  return image;
}

/// The triangles of a label, with the points that these use, outwards.
class Part {
 public:
  void add(vtkPolyData& all, const vtkIdType* corners, const grid::Grid& grid,
           const Eigen::Matrix3d& to_grid) {
    std::array<vtkIdType, 3> own{};
    std::array<Eigen::Vector3d, 3> positions;
    for (std::size_t k = 0; k < 3; ++k) {
      positions[k] = grid.origin + to_grid * Eigen::Vector3d(all.GetPoint(corners[k]));
      const auto [place, is_new] = numbers_.try_emplace(corners[k], static_cast<vtkIdType>(numbers_.size()));
      if (is_new) points_->InsertNextPoint(positions[k].data());
      own[k] = place->second;
    }
    const Eigen::Vector3d first(points_->GetPoint(0));
    volume_ += (positions[0] - first).dot((positions[1] - first).cross(positions[2] - first));
    triangles_.push_back(own);
  }
  vtkSmartPointer<vtkPolyData> mesh() const {
    vtkNew<vtkCellArray> cells;
    for (auto each : triangles_) {
      if (volume_ < 0) std::swap(each[1], each[2]);
      cells->InsertNextCell(3, each.data());
    }
    auto mesh = vtkSmartPointer<vtkPolyData>::New();
    mesh->SetPoints(points_);
    mesh->SetPolys(cells);
    return mesh;
  }

 private:
  std::unordered_map<vtkIdType, vtkIdType> numbers_;
  vtkSmartPointer<vtkPoints> points_ = vtkSmartPointer<vtkPoints>::New();
  std::vector<std::array<vtkIdType, 3>> triangles_;
  double volume_ = 0;  ///< six times that within
};

}  // namespace

std::vector<LabelMesh> touching_surfaces(const grid::Grid& grid, std::span<const std::uint32_t> numbers,
                                         std::span<const std::int64_t> labels,
                                         const std::vector<bool>& is_wanted, const jobs::Progress& progress) {
  const Crop box = crop_around(grid, numbers, is_wanted);
  if (box.size[0] == 0) return {};
  const std::size_t count = static_cast<std::size_t>(box.size[0]) * static_cast<std::size_t>(box.size[1]) *
                            static_cast<std::size_t>(box.size[2]);
  dispatch::require_memory("The surfaces", 2 * count * sizeof(int),
                           "Close other programs, or cut the image to the part you need.");
  progress.report(0.05, "surfaces");
  vtkNew<vtkDiscreteMarchingCubes> contour;
  contour->SetInputData(image_of(grid, numbers, is_wanted, box));
  contour->ComputeNormalsOff();
  contour->ComputeGradientsOff();
  int contours = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (is_wanted[i]) contour->SetValue(contours++, static_cast<double>(i) + 1);
  }
  contour->Update();
  progress.check();
  progress.report(0.5, "surfaces");
  vtkNew<vtkWindowedSincPolyDataFilter> smooth;
  smooth->SetInputConnection(contour->GetOutputPort());
  smooth->SetNumberOfIterations(30);
  smooth->SetPassBand(0.03);
  smooth->FeatureEdgeSmoothingOff();
  smooth->BoundarySmoothingOff();
  smooth->NonManifoldSmoothingOn();  // where three labels meet
  smooth->NormalizeCoordinatesOn();
  smooth->Update();
  progress.check();
  progress.report(0.9, "surfaces");

  vtkPolyData& all = *smooth->GetOutput();
  vtkDataArray& of_cell = *all.GetCellData()->GetScalars();
  // From mm along the axes of the grid.
  const Eigen::Matrix3d to_grid = grid.step * grid.spacing().cwiseInverse().asDiagonal();
  std::vector<Part> parts(labels.size());
  auto cells = vtk::TakeSmartPointer(all.GetPolys()->NewIterator());
  for (cells->GoToFirstCell(); !cells->IsDoneWithTraversal(); cells->GoToNextCell()) {
    vtkIdType corner_count = 0;
    const vtkIdType* corners = nullptr;
    cells->GetCurrentCell(corner_count, corners);
    const auto number = static_cast<std::size_t>(of_cell.GetComponent(cells->GetCurrentCellId(), 0)) - 1;
    parts[number].add(all, corners, grid, to_grid);
  }
  std::vector<LabelMesh> meshes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto mesh = std::exchange(parts[i], Part()).mesh();
    if (mesh->GetNumberOfPolys() > 0) meshes.push_back({labels[i], std::move(mesh)});
  }
  return meshes;
}

}  // namespace isolume::scene
