#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/labs/electrostatics/picture/lab_ions.h"
#include "app/labs/electrostatics/picture/map_source.h"
#include "app/labs/electrostatics/picture/map_view.h"
#include "app/labs/electrostatics/picture/picked_atom.h"
#include "app/labs/electrostatics/picture/picture_request.h"
#include "app/labs/electrostatics/picture/selected_atoms.h"
#include "app/scene/fields/field_scene.h"
#include "app/scene/props/line_set.h"

class vtkRenderer;

namespace isolume::labs::electrostatics {

/// A potential with its molecule, in angstrom, in one vtkRenderer. As FieldScene, on the thread that renders.
class MapScene {
 public:
  explicit MapScene(vtkRenderer& renderer);
  ~MapScene();

  /// Surfaces, slice and what stands around them.
  scene::FieldScene& field();
  /// Which the scene keeps.
  void set_molecule(std::shared_ptr<const ChargedMolecule> molecule);
  void set_view(const MapView& view, bool dark);
  /// Along the field, in the colours of the potential on them; null: none.
  void set_field_lines(std::shared_ptr<const FieldLines> lines);
  /// Of residues, for the ribbon; null: not known.
  void set_residue_potentials(std::shared_ptr<const ResiduePotentials> potentials);
  /// Beside the molecule, as balls in the view that wants them; null: none.
  void set_ions(std::shared_ptr<const PlacedIons> ions);
  /// Which has halos, and views may isolate it; null: nothing is selected, and all is shown.
  void set_selection(std::shared_ptr<const SelectedAtoms> selected);
  /// Marks atoms from 0, and writes what they measure beside them; none: nothing is measured.
  void set_measured(const std::vector<int>& atoms, const std::string& text);
  /// Around parts of the surface; null: none.
  void set_outline(const std::shared_ptr<const scene::LineSet>& outline);
  void set_selection_outline(const std::shared_ptr<const scene::LineSet>& outline);

  /// At a place of the picture, from 0 at its lower left corner to 1: the atom whose ball is seen, or that the molecular
  /// surface there is nearest to. An opaque surface hides what is behind it.
  std::optional<SeenAtom> atom_at(double x, double y) const;

  /// As FieldScene::prepare_export, the molecule, its ribbon, ions and field lines among what a .gltf file holds.
  std::function<void()> prepare_export(const std::filesystem::path& path) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::labs::electrostatics
