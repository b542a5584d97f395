#include "app/labs/electrostatics/residue_outline.h"

#include <array>
#include <optional>
#include <vector>

#include <Eigen/Geometry>
#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

namespace isolume::labs::electrostatics {
namespace {

using Eigen::Vector3f;

constexpr float above = 0.06F;  ///< angstrom
constexpr std::array<std::uint8_t, 4> ink{20, 20, 24, 255};

/// Whether vertices of a mesh belong to some atoms; asked only for those near to them.
class Membership {
 public:
  Membership(const ChargedMolecule& molecule, const std::vector<bool>& atoms, const float* points,
             std::size_t count)
      : molecule_(molecule), atoms_(atoms), points_(points), known_(count) {
    const auto& charges = molecule.charges;
    for (std::size_t atom = 0; atom < atoms.size(); ++atom) {
      if (!atoms[atom]) continue;
      const double reach = charges.radius[atom] + science::reach_of_atoms;
      around_.extend(Eigen::Vector3d(charges.place(atom).array() - reach));
      around_.extend(Eigen::Vector3d(charges.place(atom).array() + reach));
    }
  }
  bool of(vtkTypeInt64 vertex) {
    auto& known = known_[static_cast<std::size_t>(vertex)];
    if (!known) known = find(Eigen::Map<const Vector3f>(points_ + 3 * vertex).cast<double>());
    return *known;
  }

 private:
  bool find(const Eigen::Vector3d& place) const {
    if (!around_.contains(place)) return false;
    const auto atom = molecule_.nearest.at(place);
    return atom != science::NearestAtoms::none && atoms_[static_cast<std::size_t>(atom)];
  }

  const ChargedMolecule& molecule_;
  const std::vector<bool>& atoms_;
  const float* points_;
  std::vector<std::optional<bool>> known_;
  Eigen::AlignedBox3d around_;
};

void add_outline(vtkPolyData& mesh, const ChargedMolecule& molecule, const std::vector<bool>& atoms,
                 scene::LineSet& lines) {
  if (mesh.GetNumberOfPolys() == 0) return;
  const auto* points = static_cast<const float*>(mesh.GetPoints()->GetData()->GetVoidPointer(0));
  const auto* normals = static_cast<const float*>(mesh.GetPointData()->GetNormals()->GetVoidPointer(0));
  const vtkTypeInt64* corners = mesh.GetPolys()->GetConnectivityArray64()->GetPointer(0);
  Membership belongs(molecule, atoms, points, static_cast<std::size_t>(mesh.GetNumberOfPoints()));
  const auto raised = [&](vtkTypeInt64 vertex) {
    return Vector3f(Eigen::Map<const Vector3f>(points + 3 * vertex) +
                    above * Eigen::Map<const Vector3f>(normals + 3 * vertex));
  };
  for (vtkIdType t = 0; t < mesh.GetNumberOfPolys(); ++t) {
    std::vector<Vector3f> ends;
    for (int side = 0; side < 3; ++side) {
      const vtkTypeInt64 a = corners[3 * t + side], b = corners[3 * t + (side + 1) % 3];
      if (belongs.of(a) != belongs.of(b)) ends.emplace_back((raised(a) + raised(b)) / 2);
    }
    if (ends.size() != 2) continue;
    lines.begin_line();
    for (const auto& end : ends) lines.add(end.x(), end.y(), end.z(), ink);
  }
}

scene::Surface part_of(const scene::Surface& whole, const ChargedMolecule& molecule,
                       const std::vector<bool>& atoms) {
  const auto mesh = scene::mesh_of(whole);
  if (mesh->GetNumberOfPolys() == 0) return whole;
  const auto* points = static_cast<const float*>(mesh->GetPoints()->GetData()->GetVoidPointer(0));
  const vtkTypeInt64* corners = mesh->GetPolys()->GetConnectivityArray64()->GetPointer(0);
  Membership belongs(molecule, atoms, points, static_cast<std::size_t>(mesh->GetNumberOfPoints()));
  vtkNew<vtkCellArray> kept;
  for (vtkIdType t = 0; t < mesh->GetNumberOfPolys(); ++t) {
    int inside = 0;
    for (int corner = 0; corner < 3; ++corner) inside += belongs.of(corners[3 * t + corner]) ? 1 : 0;
    if (inside >= 2) kept->InsertNextCell({corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]});
  }
  scene::Surface part = whole;
  part.mesh = vtkSmartPointer<vtkPolyData>::New();
  part.mesh->SetPoints(mesh->GetPoints());
  part.mesh->GetPointData()->ShallowCopy(mesh->GetPointData());
  part.mesh->SetPolys(kept);
  part.draft = nullptr;
  part.on_gpu.reset();
  return part;
}

}  // namespace

scene::Lobes surface_of_atoms(const scene::Lobes& lobes, const ChargedMolecule& molecule,
                              const std::vector<bool>& atoms) {
  return {part_of(lobes.positive, molecule, atoms), part_of(lobes.negative, molecule, atoms)};
}

scene::LineSet atoms_outline(const scene::Lobes& lobes, const ChargedMolecule& molecule,
                             const std::vector<bool>& atoms) {
  scene::LineSet lines;
  for (const auto* surface : {&lobes.positive, &lobes.negative})
    add_outline(*scene::mesh_of(*surface), molecule, atoms, lines);
  return lines;
}

scene::LineSet residue_outline(const scene::Lobes& lobes, const ChargedMolecule& molecule,
                               std::size_t residue) {
  std::vector<bool> atoms(molecule.charges.size());
  for (const auto atom : molecule.residues.all[residue].atoms) atoms[atom] = true;
  return atoms_outline(lobes, molecule, atoms);
}

}  // namespace isolume::labs::electrostatics
