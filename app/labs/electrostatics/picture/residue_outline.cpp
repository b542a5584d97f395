#include "app/labs/electrostatics/picture/residue_outline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <tbb/blocked_range.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkTypeInt64Array.h>

#include "core/base/handover.h"

namespace isolume::labs::electrostatics {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr float above = 0.06F;  ///< angstrom
constexpr std::array<std::uint8_t, 4> ink{20, 20, 24, 255};

structures::Charges part_of(const structures::Charges& all, const std::vector<bool>& atoms, bool wanted) {
  structures::Charges part;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (atoms[i] != wanted) continue;
    part.x.push_back(all.x[i]);
    part.y.push_back(all.y[i]);
    part.z.push_back(all.z[i]);
    part.charge.push_back(all.charge[i]);
    part.radius.push_back(all.radius[i]);
  }
  return part;
}

/// How much nearer a place is to the spheres of some atoms than to those of all others, in angstrom. Their part of a
/// surface is where this is positive; it is continuous, so that its zero crosses triangles without steps.
class Nearness {
 public:
  Nearness(const structures::Charges& charges, const std::vector<bool>& atoms)
      : these_(part_of(charges, atoms, true)), others_(part_of(charges, atoms, false)) {
    for (std::size_t i = 0; i < these_.charges.size(); ++i) {
      const double reach = these_.charges.radius[i] + science::reach_of_atoms;
      around_.extend(Vector3d(these_.charges.place(i).array() - reach));
      around_.extend(Vector3d(these_.charges.place(i).array() + reach));
    }
  }
  std::vector<float> at(std::span<const float> places) const {
    std::vector<float> found(places.size() / 3);
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, found.size(), 1024), [&](const auto& range) {
      for (std::size_t i = range.begin(); i != range.end(); ++i)
        found[i] = at(Eigen::Map<const Vector3f>(&places[3 * i]).template cast<double>());
    });
    return found;
  }

 private:
  struct Atoms {
    explicit Atoms(structures::Charges of)
        : charges(std::move(of)), nearest(charges, science::reach_of_atoms) {}
    double distance(const Vector3d& place) const {
      const auto found = nearest.at(place);
      if (found == science::NearestAtoms::none) return science::reach_of_atoms;
      const auto atom = static_cast<std::size_t>(found);
      return (charges.place(atom) - place).norm() - charges.radius[atom];
    }
    structures::Charges charges;
    science::NearestAtoms nearest;
  };
  float at(const Vector3d& place) const {
    if (!around_.contains(place)) return -static_cast<float>(science::reach_of_atoms);
    return static_cast<float>(others_.distance(place) - these_.distance(place));
  }

  Atoms these_, others_;
  Eigen::AlignedBox3d around_;
};

/// The triangles of a mesh.
struct Triangles {
  explicit Triangles(vtkPolyData& mesh)
      : points(static_cast<const float*>(mesh.GetPoints()->GetData()->GetVoidPointer(0))),
        point_count(static_cast<std::size_t>(mesh.GetNumberOfPoints())),
        corners(mesh.GetPolys()->GetConnectivityArray64()->GetPointer(0)),
        count(mesh.GetNumberOfPolys()) {}
  std::span<const float> places() const { return {points, 3 * point_count}; }

  const float* points;
  std::size_t point_count;
  const vtkTypeInt64* corners;
  vtkIdType count;
};

/// Where a border crosses an edge, from 0 to 1.
float crossing(float inside, float outside) {
  return inside / (inside - outside);
}

void add_outline(vtkPolyData& mesh, const Nearness& nearness, scene::LineSet& lines) {
  if (mesh.GetNumberOfPolys() == 0) return;
  const Triangles triangles(mesh);
  const auto* normals = static_cast<const float*>(mesh.GetPointData()->GetNormals()->GetVoidPointer(0));
  const auto nearer = nearness.at(triangles.places());
  const auto raised = [&](vtkTypeInt64 vertex) {
    return Vector3f(Eigen::Map<const Vector3f>(triangles.points + 3 * vertex) +
                    above * Eigen::Map<const Vector3f>(normals + 3 * vertex));
  };
  const auto value = [&](vtkTypeInt64 vertex) { return nearer[static_cast<std::size_t>(vertex)]; };
  for (vtkIdType t = 0; t < triangles.count; ++t) {
    // All have the part on the same side, so that each begins where another ends: OpenGL leaves out the last pixel.
    std::optional<Vector3f> begin, end;
    for (int side = 0; side < 3; ++side) {
      vtkTypeInt64 in = triangles.corners[3 * t + side], out = triangles.corners[3 * t + (side + 1) % 3];
      if ((value(in) > 0) == (value(out) > 0)) continue;
      const bool leaves = value(in) > 0;
      if (!leaves) std::swap(in, out);
      (leaves ? begin : end) = raised(in) + crossing(value(in), value(out)) * (raised(out) - raised(in));
    }
    if (!begin) continue;
    lines.begin_line();
    for (const auto& place : {*begin, *end}) lines.add(place.x(), place.y(), place.z(), ink);
  }
}

/// Builds the part of a mesh where a value at its vertices is positive. Triangles that are partly there are cut.
class CutMesh {
 public:
  CutMesh(vtkPolyData& whole, std::vector<float> values)
      : whole_(whole), triangles_(whole), values_(std::move(values)), kept_(triangles_.point_count, -1) {
    data_->CopyAllocate(whole.GetPointData());
    points_->SetDataTypeToFloat();
    for (vtkIdType t = 0; t < triangles_.count; ++t) add(triangles_.corners + 3 * t);
  }
  vtkSmartPointer<vtkPolyData> mesh() const {
    auto mesh = vtkSmartPointer<vtkPolyData>::New();
    vtkNew<vtkTypeInt64Array> corners;
    corners->SetNumberOfValues(static_cast<vtkIdType>(corners_.size()));
    std::ranges::copy(corners_, corners->GetPointer(0));
    vtkNew<vtkCellArray> polygons;
    polygons->SetData(3, corners);
    mesh->SetPoints(points_);
    mesh->GetPointData()->ShallowCopy(data_);
    mesh->SetPolys(polygons);
    return mesh;
  }

 private:
  float value(vtkTypeInt64 vertex) const { return values_[static_cast<std::size_t>(vertex)]; }
  Vector3d place(vtkTypeInt64 vertex) const {
    return Eigen::Map<const Vector3f>(triangles_.points + 3 * vertex).cast<double>();
  }

  void add(const vtkTypeInt64* triangle) {
    std::array<vtkTypeInt64, 4> border{};  // of the part, which has up to four corners
    std::size_t count = 0;
    for (int side = 0; side < 3; ++side) {
      const vtkTypeInt64 a = triangle[side], b = triangle[(side + 1) % 3];
      if (value(a) > 0) border.at(count++) = kept(a);
      if ((value(a) > 0) != (value(b) > 0)) border.at(count++) = value(a) > 0 ? cut(a, b) : cut(b, a);
    }
    for (std::size_t i = 2; i < count; ++i)
      corners_.insert(corners_.end(), {border.at(0), border.at(i - 1), border.at(i)});
  }
  vtkTypeInt64 kept(vtkTypeInt64 vertex) {
    auto& known = kept_[static_cast<std::size_t>(vertex)];
    if (known >= 0) return known;
    known = points_->InsertNextPoint(place(vertex).data());
    data_->CopyData(whole_.GetPointData(), vertex, known);
    return known;
  }
  /// On the edge of two triangles once. What is not known outside, such as a value of another residue, is that of
  /// inside.
  vtkTypeInt64 cut(vtkTypeInt64 inside, vtkTypeInt64 outside) {
    const auto [at, is_new] = cut_.try_emplace({inside, outside}, points_->GetNumberOfPoints());
    if (!is_new) return at->second;
    const double way = crossing(value(inside), value(outside));
    const Vector3d there = place(inside) + way * (place(outside) - place(inside));
    points_->InsertNextPoint(there.data());
    data_->InterpolateEdge(whole_.GetPointData(), at->second, inside, outside, way);
    for (int i = 0; i < data_->GetNumberOfArrays(); ++i) {
      auto* numbers = vtkFloatArray::SafeDownCast(data_->GetArray(i));
      if (numbers == nullptr || numbers->GetNumberOfComponents() != 1) continue;
      if (std::isnan(numbers->GetValue(at->second)))
        data_->GetArray(i)->SetTuple(at->second, inside, whole_.GetPointData()->GetArray(i));
    }
    return at->second;
  }

  vtkPolyData& whole_;
  Triangles triangles_;
  std::vector<float> values_;
  std::vector<vtkTypeInt64> kept_;  ///< new numbers of vertices; -1: none yet
  std::map<std::pair<vtkTypeInt64, vtkTypeInt64>, vtkTypeInt64> cut_;
  vtkNew<vtkPoints> points_;
  vtkNew<vtkPointData> data_;
  std::vector<vtkTypeInt64> corners_;
};

scene::Surface part_of(const scene::Surface& whole, const Nearness& nearness) {
  const auto mesh = scene::mesh_of(whole);
  if (mesh->GetNumberOfPolys() == 0) return whole;
  scene::Surface part = whole;
  part.mesh = CutMesh(*mesh, nearness.at(Triangles(*mesh).places())).mesh();
  part.values = vtkFloatArray::SafeDownCast(part.mesh->GetPointData()->GetArray(scene::second_field));
  part.draft = nullptr;
  part.on_gpu.reset();
  return part;
}

}  // namespace

scene::Lobes surface_of_atoms(const scene::Lobes& lobes, const ChargedMolecule& molecule,
                              const std::vector<bool>& atoms) {
  const Nearness nearness(molecule.charges, atoms);
  return {part_of(lobes.positive, nearness), part_of(lobes.negative, nearness)};
}

scene::LineSet atoms_outline(const scene::Lobes& lobes, const ChargedMolecule& molecule,
                             const std::vector<bool>& atoms) {
  scene::LineSet lines;
  const Nearness nearness(molecule.charges, atoms);
  for (const auto* surface : {&lobes.positive, &lobes.negative})
    add_outline(*scene::mesh_of(*surface), nearness, lines);
  return lines;
}

scene::LineSet residue_outline(const scene::Lobes& lobes, const ChargedMolecule& molecule,
                               std::size_t residue) {
  std::vector<bool> atoms(molecule.charges.size());
  for (const auto atom : molecule.residues.all[residue].atoms) atoms[atom] = true;
  return atoms_outline(lobes, molecule, atoms);
}

}  // namespace isolume::labs::electrostatics
