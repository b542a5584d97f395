#include "app/labs/orbitals/orbital_scene.h"

#include <utility>
#include <vector>

#include <vtkRenderer.h>

#include "app/scene/cameras/principal_axes.h"
#include "app/scene/props/measure_mark.h"
#include "app/scene/props/molecule_prop.h"
#include "core/base/units.h"
#include "core/molecules/geometry.h"

namespace isolume::labs::orbitals {

struct OrbitalScene::Parts {
  explicit Parts(vtkRenderer& target) : molecule(target), field(target, "angstrom"), measured(target) {
    field.before_frame([this](double pixel_scale) { measured.update(pixel_scale); });
  }

  scene::MoleculeProp molecule;
  scene::FieldScene field;
  scene::MeasureMark measured;
  molecules::Molecule atoms;
};

OrbitalScene::OrbitalScene(vtkRenderer& renderer) : parts_(std::make_unique<Parts>(renderer)) {
  set_view({}, false);
}

OrbitalScene::~OrbitalScene() = default;

scene::FieldScene& OrbitalScene::field() {
  return parts_->field;
}

void OrbitalScene::clear() {
  set_molecule({});
  parts_->field.set_field(nullptr, true);
}

void OrbitalScene::set_molecule(const molecules::Molecule& molecule) {
  auto& p = *parts_;
  p.molecule.set_molecule(molecule);
  p.atoms = molecule;
  std::vector<Eigen::Vector3d> places;
  for (const auto& atom : molecule.atoms) places.push_back(atom.position_bohr);
  p.field.set_widest_normal(scene::principal_axes(places).col(0));
  set_measured({});
}

int OrbitalScene::atom_at(double x, double y) const {
  return parts_->molecule.atom_at(x, y);
}

void OrbitalScene::set_measured(std::span<const int> atoms) {
  std::vector<Eigen::Vector3d> places;
  for (const int atom : atoms) {
    places.emplace_back(parts_->atoms.atoms.at(static_cast<std::size_t>(atom)).position_bohr *
                        units::angstrom_per_bohr);
  }
  parts_->measured.set(places, places.empty() ? "" : molecules::measure(parts_->atoms, atoms));
}

void OrbitalScene::set_view(const ViewParameters& view, bool dark) {
  auto& p = *parts_;
  p.field.set_view(view, dark);
  p.molecule.set_atom_scale(view.atom_scale);
  p.molecule.set_visible(view.atoms, view.labels);
  p.molecule.set_text_colour(p.field.text_colour());
  p.measured.set_colour(p.field.text_colour());
}

std::function<void()> OrbitalScene::prepare_export(const std::filesystem::path& path) const {
  std::vector<scene::ExportedBody> others;
  if (parts_->molecule.visible()) others.push_back({"molecule", parts_->molecule.triangles()});
  return parts_->field.prepare_export(path, std::move(others));
}

}  // namespace isolume::labs::orbitals
