#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "app/labs/orbitals/view_parameters.h"
#include "app/scene/fields/field_scene.h"
#include "core/molecules/molecule.h"

class vtkRenderer;

namespace isolume::labs::orbitals {

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
