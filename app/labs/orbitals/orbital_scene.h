#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "app/scene/fields/field_scene.h"
#include "core/electrostatics/sums/units.h"
#include "core/molecules/molecule.h"
#include "core/parameters/schema.h"

class vtkRenderer;

namespace isolume::labs::orbitals {

using scene::IsovalueMode;
using scene::SliceAxis;
using scene::SurfaceStyle;

/// How the Orbitals lab draws what was computed: the second half of its parameters, used by the panel and by
/// `isolume-batch render`.
enum class ColourBy { sign, orbital, density, spin_density, potential };
struct ViewParameters : scene::FieldView {
  ColourBy colour_by = ColourBy::sign;
  std::string colour_orbital = "lumo";
  isolume::electrostatics::PotentialUnit potential_unit =
      isolume::electrostatics::PotentialUnit::kcal_per_mol_e;
  bool atoms = true;
  bool labels = false;
  double atom_scale = 0.22;  ///< of the van der Waals radius

  /// A slice through the middle of O2 across its bond would show next to nothing.
  ViewParameters() { slice_axis = SliceAxis::widest; }
};
const parameters::Schema<ViewParameters>& view_schema();

/// A field with its molecule, in angstrom, in one vtkRenderer. As FieldScene, on the thread that renders.
class OrbitalScene {
 public:
  explicit OrbitalScene(vtkRenderer& renderer);
  ~OrbitalScene();

  /// Surfaces, slice and what stands around them.
  scene::FieldScene& field();
  void clear();
  void set_molecule(const molecules::Molecule& molecule);
  void set_view(const ViewParameters& view, bool dark);

  /// The atom seen at a place of the picture, as MoleculeProp::atom_at.
  int atom_at(double x, double y) const;
  /// Marks atoms (from 0) and says what they measure; none: nothing.
  void set_measured(std::span<const int> atoms);

  /// As FieldScene::prepare_export, the molecule among what a .gltf file holds.
  std::function<void()> prepare_export(const std::filesystem::path& path) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::labs::orbitals
