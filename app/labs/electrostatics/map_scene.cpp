#include "app/labs/electrostatics/map_scene.h"

#include <utility>
#include <vector>

#include "app/scene/molecule_prop.h"
#include "app/scene/principal_axes.h"

namespace isolume::labs::electrostatics {

struct MapScene::Parts {
  explicit Parts(vtkRenderer& target) : molecule(target), field(target, "angstrom") {}

  scene::MoleculeProp molecule;
  scene::FieldScene field;
};

MapScene::MapScene(vtkRenderer& renderer) : parts_(std::make_unique<Parts>(renderer)) {}

MapScene::~MapScene() = default;

scene::FieldScene& MapScene::field() {
  return parts_->field;
}

void MapScene::set_molecule(const ChargedMolecule& molecule) {
  parts_->molecule.set_molecule(molecule.molecule);
  std::vector<Eigen::Vector3d> places;
  for (const auto& atom : molecule.molecule.atoms) places.push_back(atom.position_bohr);
  parts_->field.set_widest_normal(scene::principal_axes(places).col(0));
}

void MapScene::set_view(const MapView& view, bool dark) {
  parts_->field.set_view(view, dark);
  parts_->molecule.set_atom_scale(view.atom_scale);
  parts_->molecule.set_visible(view.atoms, false);
}

std::function<void()> MapScene::prepare_export(const std::filesystem::path& path) const {
  std::vector<scene::ExportedBody> others;
  if (parts_->molecule.visible()) others.push_back({"molecule", parts_->molecule.triangles()});
  return parts_->field.prepare_export(path, std::move(others));
}

}  // namespace isolume::labs::electrostatics
