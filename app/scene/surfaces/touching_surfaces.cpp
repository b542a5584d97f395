#include "app/scene/surfaces/touching_surfaces.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include <vtkCellArray.h>
#include <vtkCellArrayIterator.h>
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

/// Faces between voxels of different labels, each once, with a point in the middle of the eight voxels around each corner
/// (surface nets: S. F. F. Gibson, MICCAI 1998, LNCS 1496, 888). So three labels meet along edges of all their faces.
struct Nets {
  vtkSmartPointer<vtkPolyData> faces;  ///< quads, in mm along the axes of the grid from its first voxel
  std::vector<std::array<std::uint32_t, 2>>
      sides;  ///< of each face: number of the label behind and before it, from 1
};

Nets nets_of(const grid::Grid& grid, std::span<const std::uint32_t> numbers,
             const std::vector<bool>& is_wanted, const Crop& box, const jobs::Progress& progress) {
  const auto& n = grid.dimensions;
  const Eigen::Vector3d spacing = grid.spacing();
  const auto label_at = [&](const Index& at) -> std::uint32_t {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (at[axis] < 0 || at[axis] >= n[axis]) return 0;
    }
    const std::uint32_t number = numbers[(static_cast<std::size_t>(at[2]) * static_cast<std::size_t>(n[1]) +
                                          static_cast<std::size_t>(at[1])) *
                                             static_cast<std::size_t>(n[0]) +
                                         static_cast<std::size_t>(at[0])];
    return is_wanted[number] ? number + 1 : 0;
  };
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  vtkNew<vtkCellArray> cells;
  Nets nets;
  // Points of the cells of the present layer of voxels and of the one below.
  const auto plane = static_cast<std::size_t>(box.size[0]) * static_cast<std::size_t>(box.size[1]);
  std::array<std::vector<vtkIdType>, 2> layers;
  layers.fill(std::vector<vtkIdType>(plane, -1));
  const auto point_of = [&](const Index& cell) {
    vtkIdType& point =
        layers[static_cast<std::size_t>(cell[2] & 1)]
              [static_cast<std::size_t>(cell[1] - box.low[1]) * static_cast<std::size_t>(box.size[0]) +
               static_cast<std::size_t>(cell[0] - box.low[0])];
    if (point < 0) {
      point = points->InsertNextPoint((cell[0] + 0.5) * spacing[0], (cell[1] + 0.5) * spacing[1],
                                      (cell[2] + 0.5) * spacing[2]);
    }
    return point;
  };
  Index at{};
  for (at[2] = box.low[2]; at[2] + 1 < box.low[2] + box.size[2]; ++at[2]) {
    progress.check();
    std::ranges::fill(layers[static_cast<std::size_t>(at[2] & 1)], -1);
    for (at[1] = box.low[1]; at[1] + 1 < box.low[1] + box.size[1]; ++at[1]) {
      for (at[0] = box.low[0]; at[0] + 1 < box.low[0] + box.size[0]; ++at[0]) {
        const std::uint32_t here = label_at(at);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          Index next = at;
          ++next[axis];
          const std::uint32_t there = label_at(next);
          if (here == there) continue;
          // The four cells around the face, counter-clockwise seen from the next voxel.
          const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
          Index cell = at;
          std::array<vtkIdType, 4> corners{};
          --cell[u], --cell[v];
          corners[0] = point_of(cell);
          ++cell[u];
          corners[1] = point_of(cell);
          ++cell[v];
          corners[2] = point_of(cell);
          --cell[u];
          corners[3] = point_of(cell);
          cells->InsertNextCell(4, corners.data());
          nets.sides.push_back({here, there});
        }
      }
    }
  }
  nets.faces = vtkSmartPointer<vtkPolyData>::New();
  nets.faces->SetPoints(points);
  nets.faces->SetPolys(cells);
  return nets;
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
  dispatch::require_memory("The surfaces", count * sizeof(int),
                           "Close other programs, or cut the image to the part you need.");
  progress.report(0.05, "surfaces");
  const Nets nets = nets_of(grid, numbers, is_wanted, box, progress);
  progress.report(0.5, "surfaces");
  vtkNew<vtkWindowedSincPolyDataFilter> smooth;
  smooth->SetInputData(nets.faces);
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
  // From mm along the axes of the grid.
  const Eigen::Matrix3d to_grid = grid.step * grid.spacing().cwiseInverse().asDiagonal();
  std::vector<Part> parts(labels.size());
  auto cells = vtk::TakeSmartPointer(all.GetPolys()->NewIterator());
  for (cells->GoToFirstCell(); !cells->IsDoneWithTraversal(); cells->GoToNextCell()) {
    vtkIdType corner_count = 0;
    const vtkIdType* corners = nullptr;
    cells->GetCurrentCell(corner_count, corners);
    // Two triangles along the shorter diagonal.
    const auto length = [&](int a, int b) {
      return (Eigen::Vector3d(all.GetPoint(corners[a])) - Eigen::Vector3d(all.GetPoint(corners[b]))).norm();
    };
    const int first = length(0, 2) <= length(1, 3) ? 0 : 1;
    const auto& sides = nets.sides[static_cast<std::size_t>(cells->GetCurrentCellId())];
    for (const int other : {first + 1, first + 2}) {
      std::array<vtkIdType, 3> triangle{corners[first], corners[other], corners[(other + 1) % 4]};
      for (const std::uint32_t side : sides) {
        if (side > 0) parts[side - 1].add(all, triangle.data(), grid, to_grid);
        std::swap(triangle[1], triangle[2]);  // the label before the face looks at its back
      }
    }
  }
  std::vector<LabelMesh> meshes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto mesh = std::exchange(parts[i], Part()).mesh();
    if (mesh->GetNumberOfPolys() > 0) meshes.push_back({labels[i], std::move(mesh)});
  }
  return meshes;
}

}  // namespace isolume::scene
