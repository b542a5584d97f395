#include "app/labs/orbitals/orbital_scene.h"

#include <fmt/format.h>
#include <vtkLight.h>
#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkRenderer.h>

#include "app/labs/orbitals/export_scene.h"
#include "app/scene/molecule_prop.h"
#include "app/scene/text_style.h"
#include "core/base/error.h"

namespace isolume::labs::orbitals {
namespace {

using scene::Rgb;

constexpr const char* dark_background = "#1c1f24";
constexpr const char* light_background = "#ffffff";

Rgb text_colour_on(const Rgb& background) {
  return scene::luminance(background) > 0.3 ? Rgb{0.1, 0.1, 0.12} : Rgb{0.93, 0.93, 0.95};
}

/// A key light from above left, a fill from the right and a little from the eye; all go with the camera.
void add_lights(vtkRenderer& renderer) {
  struct CameraLight {
    double x, y, z, intensity;
  };
  renderer.RemoveAllLights();
  for (const auto& each :
       {CameraLight{-0.6, 0.9, 1.0, 0.75}, CameraLight{0.9, -0.1, 0.8, 0.25}, CameraLight{0, 0, 1, 0.25}}) {
    vtkNew<vtkLight> light;
    light->SetLightTypeToCameraLight();
    light->SetPosition(each.x, each.y, each.z);
    light->SetFocalPoint(0, 0, 0);
    light->SetIntensity(each.intensity);
    renderer.AddLight(light);
  }
}

}  // namespace

struct OrbitalScene::Parts {
  explicit Parts(vtkRenderer& target) : renderer(&target), molecule(target), surface(target) {}

  vtkSmartPointer<vtkRenderer> renderer;
  scene::MoleculeProp molecule;
  scene::SurfaceProp surface;
  std::shared_ptr<const lattice::ScalarField> field;
  bool both_signs = true;
  ViewParameters view;
  bool dark = false;
  std::function<void(double)> slice_dragged;
};

OrbitalScene::OrbitalScene(vtkRenderer& renderer) : parts_(std::make_unique<Parts>(renderer)) {
  add_lights(renderer);
  // Translucent lobes in the right order from every side.
  renderer.SetUseDepthPeeling(true);
  renderer.SetMaximumNumberOfPeels(8);
  renderer.SetOcclusionRatio(0);
  set_view({}, false);
}

OrbitalScene::~OrbitalScene() = default;

void OrbitalScene::clear() {
  set_molecule({});
  set_field(nullptr, true);
}

void OrbitalScene::set_molecule(const molecules::Molecule& molecule) {
  parts_->molecule.set_molecule(molecule);
}

void OrbitalScene::set_field(std::shared_ptr<const lattice::ScalarField> field, bool both_signs) {
  parts_->field = std::move(field);
  parts_->both_signs = both_signs;
  if (parts_->field == nullptr) set_lobes({});
}

void OrbitalScene::set_lobes(scene::Lobes lobes) {
  parts_->surface.set_lobes(std::move(lobes));
}

void OrbitalScene::set_view(const ViewParameters& view, bool dark) {
  auto& p = *parts_;
  const Rgb background = scene::colour_of(
      view.background == "auto" ? (dark ? dark_background : light_background) : view.background);
  const Rgb positive = scene::colour_of(view.positive_colour);
  const Rgb negative = scene::colour_of(view.negative_colour);
  p.view = view;
  p.dark = dark;
  p.renderer->SetBackground(background[0], background[1], background[2]);
  p.surface.set_style(view.style, view.opacity, positive, negative);
  p.surface.set_visible(view.surface);
  p.molecule.set_atom_scale(view.atom_scale);
  p.molecule.set_visible(view.atoms, view.labels);
  p.molecule.set_text_colour(text_colour_on(background));
}

std::string OrbitalScene::empty_message() const {
  const auto& p = *parts_;
  const auto& lobes = p.surface.lobes();
  if (p.field == nullptr || !p.view.surface || !lobes.positive.empty() || !lobes.negative.empty()) return {};
  const auto range = lattice::value_range(*p.field);
  const double reach = p.both_signs ? std::max(std::abs(range.low), std::abs(range.high)) : range.high;
  return fmt::format("no surface at {:.3g} {}: the field reaches only {:.3g}", lobes.positive.isovalue,
                     p.field->unit, reach);
}

const scene::Lobes& OrbitalScene::lobes() const {
  return parts_->surface.lobes();
}

void OrbitalScene::on_slice_dragged(std::function<void(double position)> callback) {
  parts_->slice_dragged = std::move(callback);
}

void OrbitalScene::export_scene(const std::filesystem::path& path) const {
  const auto& p = *parts_;
  const auto suffix = path.extension();
  const bool surfaces = suffix == ".stl" || suffix == ".ply" || suffix == ".vtp";
  if (!surfaces && suffix != ".gltf") {
    throw Error(fmt::format("{}: a scene can be exported as .stl, .ply, .vtp or .gltf; found the suffix {}.",
                            path.string(), isolume::quoted(suffix.string())));
  }
  if (surfaces) {
    if (!p.surface.visible()) throw Error(fmt::format("{}: no surface is shown to export.", path.string()));
    export_surfaces(p.surface.lobes(), path);
    return;
  }
  std::vector<ExportedBody> bodies;
  if (p.surface.visible()) {
    const auto& lobes = p.surface.lobes();
    const double opacity = p.view.style == SurfaceStyle::smooth ? p.view.opacity : 1;
    if (!lobes.positive.empty()) {
      bodies.push_back(
          {"positive lobe", lobes.positive.mesh, scene::colour_of(p.view.positive_colour), opacity});
    }
    if (!lobes.negative.empty()) {
      bodies.push_back(
          {"negative lobe", lobes.negative.mesh, scene::colour_of(p.view.negative_colour), opacity});
    }
  }
  if (p.molecule.visible()) bodies.push_back({"molecule", p.molecule.triangles()});
  if (bodies.empty()) throw Error(fmt::format("{}: nothing is shown to export.", path.string()));
  export_gltf(bodies, path);
}

}  // namespace isolume::labs::orbitals
