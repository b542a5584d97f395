#include "app/labs/electrostatics/picture/map_scene.h"

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vtkCamera.h>
#include <vtkLookupTable.h>
#include <vtkRenderer.h>

#include "app/labs/electrostatics/picture/atom_labels.h"
#include "app/labs/electrostatics/picture/ribbon_drawing.h"
#include "app/scene/cameras/principal_axes.h"
#include "app/scene/fields/colour_map.h"
#include "app/scene/props/halos.h"
#include "app/scene/props/measure_mark.h"
#include "app/scene/props/mesh_prop.h"
#include "app/scene/props/molecule_prop.h"
#include "core/base/language.h"

namespace isolume::labs::electrostatics {
namespace {

/// Of field lines: the middle is seen on light and on dark.
constexpr scene::Rgb middle_of_lines{0.62, 0.62, 0.62};

std::shared_ptr<const scene::LineSet> coloured(const FieldLines& lines, vtkLookupTable& table) {
  auto set = std::make_shared<scene::LineSet>();
  for (const auto& line : lines.all) {
    set->begin_line();
    for (std::size_t i = 0; i < line.places.size(); ++i) {
      const unsigned char* colour = table.MapValue(static_cast<double>(line.potential[i]));
      const auto& place = line.places[i];
      set->add(place.x(), place.y(), place.z(), {colour[0], colour[1], colour[2], 255});
    }
  }
  return set;
}

/// Sliders of all kinds come by, and a ribbon of a large molecule takes longer than a frame.
bool have_same_ribbon(const MapView& one, const MapView& other) {
  const auto looks = [](const MapView& view) {
    return std::tie(view.isolate, view.ribbon, view.ribbon_colour, view.negative_colour,
                    view.positive_colour);
  };
  return looks(one) == looks(other);
}

}  // namespace

struct MapScene::Parts {
  explicit Parts(vtkRenderer& target)
      : renderer(target),
        molecule(target),
        ions(target),
        halos(target),
        ribbon(target),
        field(target, "angstrom"),
        measured(target),
        labels(target),
        lines(target, {.width_points = 2, .translucent = false}),
        outline(target, {.width_points = 2.2, .translucent = false, .on_surfaces = true}),
        selection_outline(target, {.width_points = 2.2, .translucent = false, .on_surfaces = true}) {
    field.before_frame([this](double pixel_scale) {
      lines.update(pixel_scale);
      outline.update(pixel_scale);
      selection_outline.update(pixel_scale);
      measured.update(pixel_scale);
    });
  }
  bool shows_lines() const { return view.field_lines && along_field; }
  void show_lines() {
    const auto shown_lines = shows_lines() ? along_field : nullptr;
    const auto colours = shown_lines ? line_colours() : nullptr;
    if (drawn_lines != std::pair(shown_lines, colours)) {
      drawn_lines = {shown_lines, colours};
      lines.set(shown_lines ? coloured(*shown_lines, *colours) : nullptr);
    }
    show_key();
    show_notice();
  }
  vtkSmartPointer<vtkLookupTable> line_colours() {
    return line_map.table_for({scene::ColourMapChoice::Kind::diverging, span,
                               scene::colour_of(view.negative_colour), middle_of_lines,
                               scene::colour_of(view.positive_colour)});
  }

  void show_ribbon() {
    if (shown == nullptr) return;
    const auto* only = view.isolate ? selected.get() : nullptr;
    molecule.set_shown_atoms(atoms_beside_ribbon(*shown, view, only));
    ribbon.set(
        coloured_ribbon(*shown, view, span, potentials ? potentials->values : std::vector<double>(), only));
    show_key();
    show_notice();
  }

  /// Of ribbon and lines, which have the colours of surface, slice and volume.
  void show_key() {
    const bool ribbon_has_values = potentials && wants_residue_potentials(view);
    field.set_colours_beside(ribbon_has_values ? ribbon_map.table_for(ribbon_colours(view, span))
                             : shows_lines()   ? line_colours()
                                               : nullptr);
  }

  void show_labels() {
    if (shown == nullptr) return;
    const auto texts = atom_texts(*shown, view.labels, selected.get());
    labels.set(texts.labels);
    measured.lower();
    labels.set_visible(view.labels != AtomLabels::none);
    refused_labels = texts.refused;
    show_notice();
  }

  bool ribbon_is_partly_grey() const {
    if (shown == nullptr || !potentials || !wants_residue_potentials(view)) return false;
    const auto* only = view.isolate ? selected.get() : nullptr;
    for (std::size_t i = 0; i < potentials->values.size(); ++i) {
      if (shown->ribbon.shown[i] && (!only || only->residues[i]) && std::isnan(potentials->values[i]))
        return true;
    }
    return false;
  }

  void show_notice() {
    std::vector<std::string> sentences;
    if (!refused_labels.empty()) sentences.push_back(refused_labels);
    if (shows_lines() && !along_field->left_out.empty()) sentences.push_back(along_field->left_out);
    if (ribbon_is_partly_grey())
      sentences.push_back(
          localised("electrostatics", "Grey ribbon: residues without a part of the surface."));
    field.set_further_notice(fmt::format("{}", fmt::join(sentences, " ")));
  }

  bool is_opaque() const { return view.style == scene::SurfaceStyle::smooth && view.opacity >= 1; }
  bool is_before(const Eigen::Vector3d& one, const Eigen::Vector3d& other) const {
    return Eigen::Vector3d(renderer.GetActiveCamera()->GetDirectionOfProjection()).dot(one - other) < 0;
  }

  vtkRenderer& renderer;
  scene::MoleculeProp molecule, ions;
  scene::HaloProp halos;
  scene::MeshProp ribbon;
  scene::FieldScene field;
  scene::MeasureMark measured;
  scene::LabelProp labels;
  scene::LineSetProp lines, outline, selection_outline;
  std::shared_ptr<const ChargedMolecule> shown;
  std::shared_ptr<const SelectedAtoms> selected;
  std::shared_ptr<const PlacedIons> placed;
  std::shared_ptr<const FieldLines> along_field;
  std::shared_ptr<const ResiduePotentials> potentials;
  std::string refused_labels;
  MapView view;
  scene::ColourSpan span;  ///< of all colours of the potential
  scene::KeptColourMap line_map, ribbon_map;
  std::pair<std::shared_ptr<const FieldLines>, vtkSmartPointer<vtkLookupTable>> drawn_lines;
};

MapScene::MapScene(vtkRenderer& renderer) : parts_(std::make_unique<Parts>(renderer)) {}

MapScene::~MapScene() = default;

scene::FieldScene& MapScene::field() {
  return parts_->field;
}

void MapScene::set_molecule(std::shared_ptr<const ChargedMolecule> molecule) {
  parts_->shown = std::move(molecule);
  parts_->potentials = nullptr;
  parts_->selected = nullptr;
  parts_->halos.set(nullptr);
  const auto& atoms = parts_->shown->molecule;
  parts_->molecule.set_shape(parts_->shown->shape);
  parts_->show_ribbon();
  parts_->show_labels();
  std::vector<Eigen::Vector3d> places;
  for (const auto& atom : atoms.atoms) places.push_back(atom.position_bohr);
  parts_->field.set_widest_normal(scene::principal_axes(places).col(0));
}

void MapScene::set_view(const MapView& view, bool dark) {
  parts_->field.set_view(view, dark);
  parts_->measured.set_colour(parts_->field.text_colour());
  parts_->labels.set_text_colour(parts_->field.text_colour());
  parts_->molecule.set_atom_scale(view.atom_scale);
  parts_->molecule.set_visible(view.atoms, false);
  constexpr double of_ions = 0.5;  // of the van der Waals radius: they stand alone
  parts_->ions.set_atom_scale(of_ions);
  parts_->ions.set_visible(view.ions != IonsShown::none, false);
  constexpr double carbon = 1.77, beyond_the_ball = 0.2;  // angstrom
  parts_->halos.set_radius(carbon * view.atom_scale + beyond_the_ball);
  // Where nothing else is shown, they would only be in the way.
  parts_->halos.set_visible(!view.isolate && (view.atoms || view.ribbon != RibbonShown::none));
  const bool others_have_them = view.shown == Shown::surface || view.slice || view.volume;
  const auto span =
      others_have_them ? parts_->field.colours_of_field() : scene::colour_span(view, true, view.colour_limit);
  const bool same_ribbon = have_same_ribbon(parts_->view, view) && span == parts_->span;
  const bool same_labels = parts_->view.labels == view.labels;
  parts_->view = view;
  parts_->span = span;
  if (!same_labels) parts_->show_labels();
  if (!same_ribbon) parts_->show_ribbon();
  parts_->show_lines();
}

void MapScene::set_field_lines(std::shared_ptr<const FieldLines> lines) {
  if (lines == parts_->along_field) return;
  parts_->along_field = std::move(lines);
  parts_->show_lines();
}

void MapScene::set_residue_potentials(std::shared_ptr<const ResiduePotentials> potentials) {
  if (potentials == parts_->potentials) return;
  parts_->potentials = std::move(potentials);
  parts_->show_ribbon();
}

void MapScene::set_ions(std::shared_ptr<const PlacedIons> ions) {
  if (ions == parts_->placed) return;
  parts_->placed = std::move(ions);
  parts_->ions.set_molecule(parts_->placed ? molecule_of_ions(*parts_->placed) : molecules::Molecule());
}

void MapScene::set_selection(std::shared_ptr<const SelectedAtoms> selected) {
  if (selected == parts_->selected) return;
  parts_->selected = std::move(selected);
  parts_->halos.set(parts_->selected ? parts_->selected->halos : nullptr);
  if (parts_->view.isolate) parts_->show_ribbon();
  parts_->show_labels();
}

void MapScene::set_selection_outline(const std::shared_ptr<const scene::LineSet>& outline) {
  parts_->selection_outline.set(outline);
}

void MapScene::set_measured(const std::vector<int>& atoms, const std::string& text) {
  std::vector<Eigen::Vector3d> places;
  for (const int atom : atoms) places.push_back(parts_->shown->charges.place(static_cast<std::size_t>(atom)));
  parts_->measured.set(std::move(places), text);
}

void MapScene::set_outline(const std::shared_ptr<const scene::LineSet>& outline) {
  parts_->outline.set(outline);
}

std::optional<SeenAtom> MapScene::atom_at(double x, double y) const {
  const auto& p = *parts_;
  if (!p.shown) return std::nullopt;
  const int ball = p.molecule.atom_at(x, y);
  const auto place = p.view.shown == Shown::surface ? p.field.seen_at(x, y).surface : std::nullopt;
  const auto slice = p.field.place_on_slice(x, y);
  const auto nearest = place ? p.shown->nearest.at(*place) : science::NearestAtoms::none;
  if (ball >= 0) {
    const auto atom = static_cast<std::size_t>(ball);
    const Eigen::Vector3d centre = p.shown->charges.place(atom);
    const bool is_hidden =
        (place && p.is_opaque() && p.is_before(*place, centre)) || (slice && p.is_before(*slice, centre));
    if (!is_hidden) return SeenAtom{atom, std::nullopt};
  }
  if (nearest == science::NearestAtoms::none) return std::nullopt;
  return SeenAtom{static_cast<std::size_t>(nearest), place};
}

std::function<void()> MapScene::prepare_export(const std::filesystem::path& path) const {
  std::vector<scene::ExportedBody> others;
  if (parts_->molecule.visible()) others.push_back({"molecule", parts_->molecule.triangles()});
  if (parts_->ions.visible()) others.push_back({"ions", parts_->ions.triangles()});
  if (parts_->ribbon.visible()) others.push_back({"ribbon", parts_->ribbon.triangles()});
  if (parts_->lines.visible()) others.push_back({"field lines", parts_->lines.lines()});
  return parts_->field.prepare_export(path, std::move(others));
}

}  // namespace isolume::labs::electrostatics
