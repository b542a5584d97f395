#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "app/labs/electrostatics/map_source.h"
#include "app/labs/electrostatics/map_view.h"
#include "app/scene/field_scene.h"
#include "app/scene/line_set.h"

class vtkRenderer;

namespace isolume::labs::electrostatics {

/// A potential with its molecule, in angstrom, in one vtkRenderer. As FieldScene, on the thread that renders.
class MapScene {
 public:
  explicit MapScene(vtkRenderer& renderer);
  ~MapScene();

  /// Surfaces, slice and what stands around them.
  scene::FieldScene& field();
  void set_molecule(const ChargedMolecule& molecule);
  void set_view(const MapView& view, bool dark);
  /// Along the field, in the colours of the potential on them; null: none.
  void set_field_lines(std::shared_ptr<const FieldLines> lines);
  /// Around a part of the surface; null: none.
  void set_outline(const std::shared_ptr<const scene::LineSet>& outline);

  /// As FieldScene::prepare_export, the molecule among what a .gltf file holds.
  std::function<void()> prepare_export(const std::filesystem::path& path) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::labs::electrostatics
