#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <vtkCellArrayIterator.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>

#include "app/labs/anatomy/batch_parts.h"
#include "app/labs/anatomy/batch_surfaces.h"
#include "app/scene/surfaces/label_surface.h"
#include "app/scene/surfaces/touching_surfaces.h"
#include "core/anatomy/labels.h"
#include "core/base/counted.h"
#include "core/base/suffix.h"
#include "core/surfaces/mesh_quality.h"

namespace isolume::labs::anatomy {
namespace {

using Json = nlohmann::ordered_json;
using isolume::anatomy::Labels;

/// The voxels of each label, by its place in the list.
std::vector<contours::LabelMask> masks_of(const Labels& labels, const std::vector<bool>& is_wanted) {
  std::vector<contours::LabelMask> masks(labels.values.size());
  const auto& n = labels.grid.dimensions;
  const auto for_wanted = [&](const auto& visit) {
    std::size_t at = 0;
    for (int z = 0; z < n[2]; ++z) {
      for (int y = 0; y < n[1]; ++y) {
        for (int x = 0; x < n[0]; ++x, ++at) {
          if (is_wanted[labels.indices[at]]) visit(masks[labels.indices[at]], std::array{x, y, z});
        }
      }
    }
  };
  for_wanted([](contours::LabelMask& mask, const std::array<int, 3>& place) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (mask.size[axis] == 0) mask.low[axis] = place[axis];
      const int end = std::max(mask.low[axis] + mask.size[axis], place[axis] + 1);
      mask.low[axis] = std::min(mask.low[axis], place[axis]);
      mask.size[axis] = end - mask.low[axis];
    }
  });
  for (contours::LabelMask& each : masks) {
    each.values.resize(static_cast<std::size_t>(each.size[0]) * static_cast<std::size_t>(each.size[1]) *
                       static_cast<std::size_t>(each.size[2]));
  }
  for_wanted([](contours::LabelMask& mask, const std::array<int, 3>& place) {
    std::size_t at = 0;
    for (std::size_t axis = 3; axis-- > 0;) {
      at = at * static_cast<std::size_t>(mask.size[axis]) +
           static_cast<std::size_t>(place[axis] - mask.low[axis]);
    }
    mask.values[at] = 1;
  });
  return masks;
}

std::vector<scene::LabelMesh> surfaces_of(const Labels& labels, const std::vector<bool>& is_wanted,
                                          const jobs::Progress& progress) {
  std::vector<contours::LabelMask> masks = masks_of(labels, is_wanted);
  std::vector<scene::LabelMesh> meshes;
  const auto count = static_cast<double>(masks.size());
  for (std::size_t i = 0; i < masks.size(); ++i) {
    const contours::LabelMask mask = std::exchange(masks[i], {});
    if (!is_wanted[i]) continue;
    const auto part = progress.part(static_cast<double>(i) / count, static_cast<double>(i + 1) / count);
    meshes.push_back({labels.values[i], scene::surface_of_label(mask, labels.grid, part)});
  }
  return meshes;
}

/// Improves the triangles of a surface; points move at most by the largest spacing of the voxels.
surfaces::MeshImprovement improve(vtkPolyData& mesh, const grid::Grid& grid, const jobs::Progress& progress) {
  surfaces::TriangleMesh triangles;
  for (vtkIdType i = 0; i < mesh.GetNumberOfPoints(); ++i) triangles.points.emplace_back(mesh.GetPoint(i));
  auto cells = vtk::TakeSmartPointer(mesh.GetPolys()->NewIterator());
  for (cells->GoToFirstCell(); !cells->IsDoneWithTraversal(); cells->GoToNextCell()) {
    vtkIdType count = 0;
    const vtkIdType* corners = nullptr;
    cells->GetCurrentCell(count, corners);
    std::array<std::uint32_t, 3> own{};
    for (std::size_t k = 0; k < 3; ++k) own[k] = static_cast<std::uint32_t>(corners[k]);
    triangles.triangles.push_back(own);
  }
  constexpr int sweeps = 5;
  const auto result = surfaces::improve(triangles, sweeps, grid.spacing().maxCoeff(), progress);
  std::vector<Eigen::Vector3d> normals(triangles.points.size(), Eigen::Vector3d::Zero());
  for (const auto& [a, b, c] : triangles.triangles) {
    const Eigen::Vector3d normal =
        (triangles.points[b] - triangles.points[a]).cross(triangles.points[c] - triangles.points[a]);
    for (const std::uint32_t each : {a, b, c}) normals[each] += normal;
  }
  vtkNew<vtkPoints> points;
  vtkNew<vtkFloatArray> of_points;
  of_points->SetName("Normals");
  of_points->SetNumberOfComponents(3);
  for (std::size_t i = 0; i < normals.size(); ++i) {
    points->InsertNextPoint(triangles.points[i].data());
    const Eigen::Vector3d unit = normals[i].normalized();
    of_points->InsertNextTuple(unit.data());
  }
  mesh.SetPoints(points);
  mesh.GetPointData()->SetNormals(of_points);
  return result;
}

}  // namespace

void run_surfaces(batch::Context& context, const SurfaceOptions& options) {
  const std::string suffix = suffix_of(options.output);
  if (suffix != ".stl" && suffix != ".ply" && suffix != ".vtp") {
    throw batch::UsageError(fmt::format(
        "{} does not name a surface file. Give a name that ends in .stl, .ply or .vtp.", options.output));
  }
  if (options.touching && options.improved) {
    throw batch::UsageError(
        "--optimise-mesh moves the points of each surface alone, and --touching shares them. Leave out one of "
        "them.");
  }
  check_outputs(context, {options.output}, {options.labels});
  const Labels labels = isolume::anatomy::read_labels(options.labels, context.progress.part(0, 0.2));
  batch::report(context, options.labels, labels.remarks);
  if (labels.grid.unit != grid::LengthUnit::millimetre || std::ranges::count(labels.grid.dimensions, 1) > 0) {
    throw Error(fmt::format("{}: a surface needs a volume with lengths in mm.", options.labels));
  }
  std::vector<bool> is_wanted(labels.values.size());
  for (std::size_t i = 0; i < labels.values.size(); ++i)
    is_wanted[i] = labels.values[i] != 0 && options.only.empty();
  for (const int each : options.only) {
    const auto place = std::ranges::find(labels.values, std::int64_t{each});
    if (place == labels.values.end())
      throw Error(fmt::format("{} has no label {}. Choose one that it has.", options.labels, each));
    is_wanted[static_cast<std::size_t>(place - labels.values.begin())] = true;
  }
  const auto progress = context.progress.part(0.2, options.improved ? 0.6 : 0.9);
  std::vector<scene::LabelMesh> meshes;
  std::vector<surfaces::MeshImprovement> improvements;
  on_threads(options.threads, [&] {
    meshes = options.touching
                 ? scene::touching_surfaces(labels.grid, labels.indices, labels.values, is_wanted, progress)
                 : surfaces_of(labels, is_wanted, progress);
    if (!options.improved) return;
    for (const scene::LabelMesh& each : meshes) {
      const auto part = [&](std::size_t i) {
        return 0.6 + 0.3 * static_cast<double>(i) / static_cast<double>(meshes.size());
      };
      const std::size_t i = improvements.size();
      improvements.push_back(improve(*each.mesh, labels.grid, context.progress.part(part(i), part(i + 1))));
    }
  });
  if (meshes.empty()) throw Error(fmt::format("{} has no labels but 0.", options.labels));
  scene::write_label_meshes(meshes, options.output);
  Json rows = Json::array();
  std::string lines;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const scene::LabelMesh& each = meshes[i];
    const auto number =
        static_cast<std::uint32_t>(std::ranges::find(labels.values, each.label) - labels.values.begin());
    const double voxels_ml =
        static_cast<double>(std::ranges::count(labels.indices, number)) * labels.grid.cell_volume() / 1000;
    const double millilitres = scene::volume_mm3(*each.mesh) / 1000;
    const auto triangles = static_cast<std::size_t>(each.mesh->GetNumberOfPolys());
    rows.push_back({{"label", each.label},
                    {"triangles", triangles},
                    {"millilitres", millilitres},
                    {"voxels_millilitres", voxels_ml}});
    lines += fmt::format("\n{}: {}, {:.3f} ml; its voxels have {:.3f} ml", each.label,
                         counted(triangles, "triangle"), millilitres, voxels_ml);
    if (improvements.empty()) continue;
    const surfaces::MeshImprovement& found = improvements[i];
    const auto json_of = [](const surfaces::MeshQuality& quality) {
      return Json{{"least", quality.least}, {"mean", quality.mean}};
    };
    rows.back()["radius_ratio"] = {{"before", json_of(found.before)}, {"after", json_of(found.after)}};
    rows.back()["largest_move_mm"] = found.largest_move;
    rows.back()["locked_points"] = found.locked;
    lines += fmt::format("; radius ratio {:.3f} to {:.3f} at least, {:.3f} to {:.3f} in the mean",
                         found.before.least, found.after.least, found.before.mean, found.after.mean);
  }
  print(context, options.json,
        {{"labels", options.labels}, {"output", options.output}, {"surfaces", std::move(rows)}},
        options.output + ": " + counted(meshes.size(), "surface") + lines);
}

}  // namespace isolume::labs::anatomy
