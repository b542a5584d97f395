#include "app/labs/orbitals/orbital_scene.h"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>

#include "app/labs/orbitals/export_scene.h"
#include "app/scene/annotations.h"
#include "app/scene/colour_bar.h"
#include "app/scene/measure_mark.h"
#include "app/scene/molecule_prop.h"
#include "app/scene/principal_axes.h"
#include "app/scene/slice_handle.h"
#include "app/scene/slice_plane.h"
#include "app/scene/stage.h"
#include "app/scene/text_style.h"
#include "core/base/error.h"
#include "core/base/round_numbers.h"
#include "core/base/units.h"
#include "core/molecules/geometry.h"

namespace isolume::labs::orbitals {

using scene::Rgb;

FieldSummary summary_of(const lattice::ScalarField& field, bool both_signs, bool amplitude) {
  // From nearly all to the last bits of lobes. What encloses less of a density without signs lies within the
  // atoms.
  const std::array fractions{0.999, both_signs ? 0.02 : 0.35};
  const auto range = lattice::value_range(field);
  FieldSummary summary;
  summary.largest = both_signs ? std::max(std::abs(range.low), std::abs(range.high)) : range.high;
  summary.on_faces = lattice::median_on_faces(field);
  const auto ends = lattice::isovalues_enclosing(field, fractions, amplitude);
  if (!(ends[0] > 0)) return summary;
  // Not rounded to 1, 2, 5: the last bit of a lobe is near the field's maximum.
  const double digit = std::pow(10, std::floor(std::log10(ends[1])) - 1);
  summary.usual_isovalues = {rounded_down(ends[0]), digit * std::floor(ends[1] / digit)};
  return summary;
}

std::string missing_surface(const scene::Lobes& lobes, const FieldSummary& summary, const std::string& unit) {
  const double isovalue = lobes.positive.isovalue;
  const bool none = lobes.positive.empty() && lobes.negative.empty();
  if (!none && isovalue >= summary.on_faces) return {};
  const std::string suffix = unit.empty() ? "" : " " + scene::pretty_unit(unit);
  if (!(summary.largest > 0)) return "No surface. The field is zero everywhere.";
  const std::string largest = fmt::format("The largest value is {:.3g}{}", summary.largest, suffix);
  if (isovalue >= summary.on_faces) {
    return fmt::format("No surface at {:.3g}{}. {}: choose a smaller isovalue.", isovalue, suffix, largest);
  }
  return fmt::format(
      "The surface at {:.3g}{} fills the box. {}, that at the box's faces {:.3g}: choose a larger isovalue.",
      isovalue, suffix, largest, summary.on_faces);
}

struct OrbitalScene::Parts {
  explicit Parts(vtkRenderer& target);
  ~Parts() { renderer->RemoveObserver(before_frame); }

  void adapt_to_picture();
  void place_slice();
  void show_slice();

  vtkSmartPointer<vtkRenderer> renderer;
  scene::MoleculeProp molecule;
  scene::SurfaceProp surface;
  scene::SlicePlane slice;
  scene::SliceHandle handle;
  scene::ColourBar colour_bar;
  scene::Annotations annotations;
  scene::MeasureMark measured;
  molecules::Molecule atoms;
  vtkNew<vtkCallbackCommand> before_frame;
  double pixel_scale = 0;
  Eigen::Vector3d plane_normal = Eigen::Vector3d::UnitZ();  ///< of the plane the atoms lie closest to
  std::shared_ptr<const lattice::ScalarField> field;
  std::string missing;
  ViewParameters view;
  bool dark = false;
  std::function<void(double)> slice_dragged;
};

OrbitalScene::Parts::Parts(vtkRenderer& target)
    : renderer(&target),
      molecule(target),
      surface(target),
      slice(target),
      handle(target,
             [this](double position) {
               view.slice_position = position;
               place_slice();
               if (slice_dragged) slice_dragged(position);
             }),
      colour_bar(target),
      annotations(target, {{"x", "y", "z"}, "Å"}),
      measured(target) {
  before_frame->SetClientData(this);
  before_frame->SetCallback(
      [](vtkObject*, unsigned long, void* parts, void*) { static_cast<Parts*>(parts)->adapt_to_picture(); });
  renderer->AddObserver(vtkCommand::StartEvent, before_frame);
}

/// Lines keep their width in points on screens and in pictures of any density.
void OrbitalScene::Parts::adapt_to_picture() {
  const double scale = renderer->GetRenderWindow()->GetDPI() / 72.0;
  if (scale != pixel_scale) {
    pixel_scale = scale;
    surface.set_pixel_scale(scale);
    slice.set_pixel_scale(scale);
    handle.set_pixel_scale(scale);
  }
  surface.set_draft(renderer->GetRenderWindow()->GetDesiredUpdateRate() > 1);
  annotations.update(scale);
  measured.update(scale);
  if (slice.visible()) colour_bar.update(scale);
}

void OrbitalScene::Parts::place_slice() {
  using Eigen::Vector3d;
  const std::array normals{Vector3d(Vector3d::UnitX()), Vector3d(Vector3d::UnitY()),
                           Vector3d(Vector3d::UnitZ()), plane_normal};
  slice.set_plane(normals.at(static_cast<std::size_t>(view.slice_axis)), view.slice_position);
  handle.set_frame(slice.frame(), view.slice_position);
}

void OrbitalScene::Parts::show_slice() {
  slice.set_visible(view.slice, view.slice_contours);
  place_slice();
  handle.set_visible(slice.visible());
  colour_bar.set_visible(slice.visible());
  if (!slice.visible()) return;
  colour_bar.set_meaning(slice.colours(), field->name, field->unit);
  // Where the scene will have its place, before the camera is fitted to it.
  auto* window = renderer->GetRenderWindow();
  colour_bar.update(window != nullptr ? window->GetDPI() / 72.0 : 1);
}

OrbitalScene::OrbitalScene(vtkRenderer& renderer) : parts_(std::make_unique<Parts>(renderer)) {
  scene::set_stage(renderer);
  set_view({}, false);
}

OrbitalScene::~OrbitalScene() = default;

void OrbitalScene::clear() {
  set_molecule({});
  set_field(nullptr, true);
}

void OrbitalScene::set_molecule(const molecules::Molecule& molecule) {
  parts_->molecule.set_molecule(molecule);
  parts_->atoms = molecule;
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

void OrbitalScene::set_field(std::shared_ptr<const lattice::ScalarField> field, bool both_signs) {
  parts_->field = std::move(field);
  if (parts_->field == nullptr) set_lobes({});
  parts_->slice.set_field(parts_->field, both_signs);
  parts_->show_slice();
}

void OrbitalScene::set_lobes(scene::Lobes lobes, std::string missing) {
  parts_->surface.set_lobes(std::move(lobes));
  parts_->missing = std::move(missing);
  parts_->annotations.set_notice(missing_surface());
}

void OrbitalScene::set_view(const ViewParameters& view, bool dark) {
  auto& p = *parts_;
  const Rgb background =
      view.background == "auto" ? scene::background_colour(dark) : scene::colour_of(view.background);
  const Rgb positive = scene::colour_of(view.positive_colour);
  const Rgb negative = scene::colour_of(view.negative_colour);
  p.view = view;
  p.dark = dark;
  p.renderer->SetBackground(background[0], background[1], background[2]);
  p.surface.set_style(view.style, view.opacity, positive, negative);
  p.surface.set_visible(view.surface);
  p.molecule.set_atom_scale(view.atom_scale);
  p.molecule.set_visible(view.atoms, view.labels);
  const Rgb text = scene::text_colour_on(background);
  const bool on_dark = scene::luminance(background) < 0.3;
  p.molecule.set_text_colour(text);
  p.annotations.set_colour(text);
  p.annotations.set_visible(view.scale_bar);
  p.annotations.set_notice(missing_surface());
  p.colour_bar.set_colour(text);
  p.measured.set_colour(text);
  p.slice.set_colours(negative, on_dark ? Rgb{0.17, 0.19, 0.22} : Rgb{0.97, 0.97, 0.97}, positive,
                      on_dark ? Rgb{0.85, 0.85, 0.88} : Rgb{0.2, 0.2, 0.22});
  p.handle.set_colour(on_dark ? Rgb{0.6, 0.62, 0.66} : Rgb{0.45, 0.46, 0.5}, scene::colour_of("#e69f00"));
  p.show_slice();
}

std::string OrbitalScene::missing_surface() const {
  return parts_->view.surface ? parts_->missing : std::string();
}

const scene::Lobes& OrbitalScene::lobes() const {
  return parts_->surface.lobes();
}

void OrbitalScene::on_slice_dragged(std::function<void(double position)> callback) {
  parts_->slice_dragged = std::move(callback);
}

namespace {

/// Without a GPU's surfaces, which one thread at a time may use.
scene::Lobes on_host(const scene::Lobes& lobes) {
  scene::Lobes all = lobes;
  for (scene::Surface* surface : {&all.positive, &all.negative}) {
    surface->mesh = mesh_of(*surface);
    surface->on_gpu.reset();
  }
  return all;
}

}  // namespace

std::function<void()> OrbitalScene::prepare_export(const std::filesystem::path& path) const {
  const auto& p = *parts_;
  const auto suffix = path.extension();
  const bool surfaces = suffix == ".stl" || suffix == ".ply" || suffix == ".vtp";
  if (!surfaces && suffix != ".gltf") {
    throw Error(fmt::format("{}: a scene can be exported as .stl, .ply, .vtp or .gltf; found the suffix {}.",
                            path.string(), isolume::quoted(suffix.string())));
  }
  if (surfaces) {
    if (!p.surface.visible()) throw Error(fmt::format("{}: no surface is shown to export.", path.string()));
    return [lobes = on_host(p.surface.lobes()), path] { export_surfaces(lobes, path); };
  }
  std::vector<ExportedBody> bodies;
  if (p.surface.visible()) {
    const auto& lobes = p.surface.lobes();
    const double opacity = p.view.style == SurfaceStyle::smooth ? p.view.opacity : 1;
    if (!lobes.positive.empty()) {
      bodies.push_back(
          {"positive lobe", mesh_of(lobes.positive), scene::colour_of(p.view.positive_colour), opacity});
    }
    if (!lobes.negative.empty()) {
      bodies.push_back(
          {"negative lobe", mesh_of(lobes.negative), scene::colour_of(p.view.negative_colour), opacity});
    }
  }
  if (p.molecule.visible()) bodies.push_back({"molecule", p.molecule.triangles()});
  if (bodies.empty()) throw Error(fmt::format("{}: nothing is shown to export.", path.string()));
  return [bodies, path] { export_gltf(bodies, path); };
}

}  // namespace isolume::labs::orbitals
