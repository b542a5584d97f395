#include "app/labs/electrostatics/electrostatics_lab.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <vtkRenderer.h>

#include "app/labs/electrostatics/description.h"
#include "app/labs/electrostatics/panels/table_numbers.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/guarded.h"
#include "core/base/error.h"
#include "core/base/shown_number.h"
#include "core/base/suffix.h"
#include "core/electrostatics/maps/map_file.h"
#include "core/molecules/document.h"
#include "core/structures/charge_readers.h"
#include "core/structures/charged_file.h"
#include "core/structures/trajectory.h"
#include "gpu/electrostatics/engines.h"
#include "gpu/interop/make_surface_engine.h"

namespace isolume::labs::electrostatics {
namespace {

using workbench::guarded;

/// Values in the unit of the potential.
constexpr std::array in_unit{"isovalue", "colour-limit", "colour-low", "colour-high", "patch-threshold"};

}  // namespace

ElectrostaticsLab::ElectrostaticsLab(workbench::LabContext& context)
    : context_(context), window_(context, field_lab()) {
  add_commands();
  context.view.installEventFilter(this);
  connect(&context.view, &scene::ViewWidget::clicked, this, &ElectrostaticsLab::click);
  connect(&context.view, &scene::ViewWidget::clicked_with_keys, this, &ElectrostaticsLab::click);
}

std::vector<workbench::LabPanel> ElectrostaticsLab::panels() {
  table_ = new ResidueTable;
  connect(table_, &ResidueTable::residue_chosen, this, [this](int residue) {
    if (!molecule_ || residue < 0) return;
    pick(molecule_->residues.all[static_cast<std::size_t>(residue)].atoms.front(), Picked::residue);
  });
  atom_table_ = new RowTable(QStringLiteral("atom-table"), tr("Atoms"));
  connect(atom_table_, &RowTable::row_chosen, this, [this](int row) {
    if (molecule_ && row >= 0) pick(static_cast<std::size_t>(row), Picked::atom);
  });
  patch_table_ = new RowTable(QStringLiteral("patch-table"), tr("Patches"));
  connect(patch_table_, &RowTable::row_chosen, this,
          [this](int row) { run("electrostatics.patch", {std::to_string(row + 1)}); });
  decision_table_ = new RowTable(QStringLiteral("decision-table"), tr("Preparation"));
  connect(decision_table_, &RowTable::row_chosen, this, &ElectrostaticsLab::choose_decision);
  show_decisions();
  return {
      window_.make_values_panel(tr("Select two atoms, or choose a line: electrostatics.line 0 0 0 10 0 0")),
      {QT_TRANSLATE_NOOP("declared", "Residues"), table_, Qt::RightDockWidgetArea},
      {QT_TRANSLATE_NOOP("declared", "Atoms"), atom_table_, Qt::RightDockWidgetArea},
      {QT_TRANSLATE_NOOP("declared", "Patches"), patch_table_, Qt::RightDockWidgetArea},
      {QT_TRANSLATE_NOOP("declared", "Preparation"), decision_table_, Qt::RightDockWidgetArea}};
}

fields::FieldLab ElectrostaticsLab::field_lab() {
  return {
      .name = "electrostatics",
      .view = view_,
      .parameters = view_set_,
      .unit = [this] { return std::string(science::to_text(how_.unit)); },
      .make_display = [this](vtkRenderer& renderer) { return std::make_unique<Display>(renderer, *this); },
      .slice_command = "parameter.set slice-position",
      .first_look = "",  // the molecule is there before its field
      .moving = [this] { return playback_.playing(); },
      .shown = [this](const scene::FieldPicture& picture) { take(picture); }};
}

void ElectrostaticsLab::open_again(const std::filesystem::path& path, const nlohmann::json& state) {
  const auto trajectory = found_beside(state.value("trajectory", std::string()), path);
  after_map(state, path, [this, path, trajectory, state] {
    open(path, trajectory,
         [state, path](std::vector<std::string>& notes) { return settings_of(state, path, notes); });
  });
}

void ElectrostaticsLab::open(const std::filesystem::path& path, const std::filesystem::path& trajectory,
                             const FindSettings& find_settings) {
  if (structures::trajectory_formats().match(path)) return open_trajectory(path);
  if (science::map_formats().match(path)) return open_map(path);
  const std::string name = workbench::said(tr("Open %1"), path.filename().string());
  const bool needs_topology = structures::charge_format_of(path) == structures::ChargeFormat::gro;
  refused_gro_ = needs_topology ? path : std::filesystem::path();
  context_.jobs.submit(name, "electrostatics.open",
                       [this, path, trajectory, find_settings](const jobs::Progress& progress) {
                         std::vector<std::string> notes;
                         const auto settings = find_settings(notes);
                         OpenedMolecule opened;
                         if (molecules::may_hold_orbitals(path)) {
                           opened.molecule = wavefunction_molecule(
                               molecules::read_document(path, progress.part(0, 0.5)), progress.part(0.5, 1));
                         } else {
                           opened = open_molecule(path, options_of(settings), trajectory, progress);
                         }
                         progress.check();
                         context_.on_gui_thread(guarded(this, [this, opened, settings, notes] {
                           structure_ = made_with_ = settings;
                           notes_ = notes;
                           refused_gro_.clear();
                           show(opened);
                         }));
                       });
}

/// Of the molecule that is open, which stays if it does not fit.
void ElectrostaticsLab::open_trajectory(const std::filesystem::path& path) {
  if (!molecule_ || molecule_->wavefunction) {
    throw Error(workbench::said(
        QObject::tr("%1 is a trajectory without charges. Open the matching structure or PQR file first."),
        path.filename().string()));
  }
  const std::string name = workbench::said(tr("Open %1"), path.filename().string());
  context_.jobs.submit(
      name, "electrostatics.open",
      [this, path, charges = molecule_->path, settings = structure_](const jobs::Progress& progress) {
        auto opened = open_molecule(charges, options_of(settings), path, progress);
        progress.check();
        context_.on_gui_thread(guarded(this, [this, opened, settings] {
          if (!molecule_ || molecule_->path != opened.molecule->path) return;
          structure_ = made_with_ = settings;
          show_frames(opened);
        }));
      });
}

/// The picture changes; what people have chosen stays.
void ElectrostaticsLab::show_frames(OpenedMolecule opened) {
  playback_.pause();
  request_.molecule = std::move(opened.molecule);
  request_.frames = std::move(opened.frames);
  request_.moment.frame = 1;
  follow_frames();
  ions_.forget();
  show_decisions();
  static_cast<Display&>(window_.display()).take_molecule();
  if (context_.parameters_changed) context_.parameters_changed();
  if (context_.availability_changed) context_.availability_changed();
  const int count = static_cast<int>(request_.frames->size());
  tell_what_is_missing();
  context_.show_status(
      tr("%1: %n frame(s)", "", count).arg(QString::fromStdString(trajectory().filename().string())));
  request_picture();
  graph_.update();
}

void ElectrostaticsLab::show(OpenedMolecule opened) {
  playback_.pause();
  window_.clear();
  request_ = first_request(std::move(opened.molecule));
  request_.frames = std::move(opened.frames);
  take_restored_map();
  follow_frames();
  patch_choices_ = {};
  pick_ = {};
  for (const auto& each : all_.descriptions()) first_values_[each.key] = all_.get(each.key);
  how_.engines = engines_;
  how_.quantum_engines = quantum_engines_;
  forget_values();
  selected_ = nullptr;
  auto& display = static_cast<Display&>(window_.display());
  display.field().set_field(nullptr, true);
  display.take_molecule();
  window_.restyle();
  scene::view_from(*context_.view.renderer(), "tilted");
  display.field().forget_camera();
  const QString file = QString::fromStdString(molecule_->path.filename().string());
  if (context_.document_opened) context_.document_opened(molecule_->path, file);
  tell_molecule();
  request_picture();
  graph_.update();
}

void ElectrostaticsLab::tell_what_is_missing() {
  why_no_ions_ = why_no_ions();
  context_.show_warning(what_is_missing());
  offer_ligands();
}

void ElectrostaticsLab::tell_molecule() {
  const QString file = QString::fromStdString(molecule_->path.filename().string());
  tell_what_is_missing();
  const auto& made = molecule_->preparation;
  const QString force_field =
      made ? ", " + QString::fromStdString(std::string(structures::name_of(made->force_field))) : QString();
  context_.show_status(tr("%1: %n atom(s), charge %2 e", "", static_cast<int>(molecule_->charges.size()))
                           .arg(file)
                           .arg(number_text(structures::total_charge(molecule_->charges), 2)) +
                       force_field);
}

void ElectrostaticsLab::devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) {
  workbench::prepare_engines(
      context_, "electrostatics", this,
      [devices] {
        return std::tuple(
            std::make_shared<const science::EngineRegistry>(gpu::make_pair_engines(devices)),
            std::make_shared<const science::QuantumEngineRegistry>(gpu::make_quantum_engines(devices)),
            gpu::make_surface_engine(devices));
      },
      [this](const auto& made) {
        engines_ = how_.engines = std::get<0>(made);
        quantum_engines_ = how_.quantum_engines = std::get<1>(made);
        surfaces_ = std::get<2>(made);
        if (molecule_) context_.parameters_changed();  // engines to choose from
      });
}

/// As it was when the molecule was opened.
double ElectrostaticsLab::first_spacing() const {
  const auto known = first_values_.find("spacing");
  return known == first_values_.end() ? 0 : std::get<double>(known->second);
}

/// What was left out, assumed or changed on the way from the file, and a trajectory's last frame where it is cut off, a line
/// for each; of a wavefunction, what its reader warns of.
QString ElectrostaticsLab::what_is_missing() const {
  QStringList lines;
  for (const auto& note : notes_) lines += QString::fromStdString(note);
  if (const auto why = why_no_ions(); !why.empty()) lines += QString::fromStdString(why);
  if (molecule_->wavefunction) {
    const auto& document = molecule_->wavefunction->document();
    for (const auto& each : document.remarks) {
      const auto& check = document.orthonormality;
      const bool put_right = check.proven() && !check.limited && each.text == check.explanation;
      if (!put_right) lines += QString::fromStdString(each.text);
    }
    return lines.join('\n');
  }
  if (request_.frames && request_.frames->charges().is_cut()) {
    lines += tr("%1 ends within a frame; %n complete frame(s) can be used.", "",
                static_cast<int>(request_.frames->size()))
                 .arg(QString::fromStdString(trajectory().filename().string()));
  }
  for (const auto& remark : molecule_->charges.remarks) lines += QString::fromStdString(remark.text);
  if (const double spacing = first_spacing(); spacing > MapGrid().spacing_angstrom) {
    lines +=
        tr("The molecule is large: its first map has a spacing of %1 Å instead of %2 Å. Choose a smaller "
           "spacing for a finer one.")
            .arg(QString::fromStdString(shown_reading(spacing, 2)),
                 QString::fromStdString(shown_reading(MapGrid().spacing_angstrom)));
  }
  return lines.join('\n');
}

void ElectrostaticsLab::request_picture(fields::Detail detail) {
  cancel_numbers();
  window_.show(field_of(request_), detail, shape_of(request_), surface_engine());
}

/// What says nothing of the molecule is not shown; what people reset is again as it was at first.
void ElectrostaticsLab::narrow(parameters::Description& description) const {
  engines_->narrow(description);
  window_.narrow(description);
  if (!molecule_) return;
  const auto& key = description.key;
  if (const auto first = first_values_.find(key); first != first_values_.end())
    description.default_value = first->second;
  const auto& wavefunction = molecule_->wavefunction;
  const parameters::Relevance never{"shown", {}};
  narrow_structure(description);
  if (patch_set_.has(key) && (wavefunction || view_.shown != Shown::surface))
    description.relevant_when = never;
  if (key == "patch-threshold") description.unit = science::to_text(how_.unit);
  if (key == (wavefunction ? "difference-to" : "compare") && !request_.other) description.choices.pop_back();
  if (other_set_.has(key)) description.relevant_when = {wavefunction ? "difference-to" : "compare", {"map"}};
  if (frame_set_.has(key) && !request_.frames) description.relevant_when = never;
  if (key == "frame") description.high = request_.frames ? static_cast<double>(request_.frames->size()) : 1;
  if (key == "compare" && request_.moment.average) description.relevant_when = never;
  const bool other_form = key == "density-isovalue" && view_.shown != Shown::surface;
  if (other_form || !why_meaningless(*molecule_, key).empty()) description.relevant_when = never;
  if (key == "pick" && wavefunction) description.relevant_when = never;
  if (key == "form" && !wavefunction) description.choices.pop_back();
  narrow_by_method(description);
  if (!wavefunction) return;
  if (key == "set") description.high = wavefunction->set_count();
  if (key == "temperature") description.relevant_when = {"unit", {"kT/e"}};
}

/// A method that the map is compared with needs its own parameters, and the probe also rolls for the surface that is shown.
void ElectrostaticsLab::narrow_by_method(parameters::Description& description) const {
  auto& [key, values] = description.relevant_when;
  const auto other = molecule_->wavefunction ? std::nullopt : science::compared_method(where_.compare);
  if (other && key == "method") {
    const auto compared = parameters::to_text(where_set_.get("compare"));
    if (std::ranges::find(values, compared) != values.end()) key.clear();
  }
  const bool has_interface = !molecule_->wavefunction && (science::is_poisson_boltzmann(how_.method) ||
                                                          (other && science::is_poisson_boltzmann(*other)));
  const bool rolls_there = has_interface && how_.surface == science::DielectricSurface::ses;
  if (description.key == "probe" && !rolls_there) description.relevant_when = {"form", {"ses", "sas"}};
}

std::string ElectrostaticsLab::without_residues() const {
  if (!molecule_ || !molecule_->wavefunction) return without_molecule();
  return workbench::said(QObject::tr("A wavefunction has no residues."));
}

void ElectrostaticsLab::set_parameter(std::string_view key, const parameters::Value& value) {
  if (!molecule_) throw Error(without_molecule());
  if (const auto why = why_meaningless(*molecule_, key); !why.empty()) throw Error(why);
  if (key == "average" && !request_.frames)
    throw Error(workbench::said(QObject::tr("This file has only one frame.")));
  if (key == "compare" && request_.moment.average)
    throw Error(
        workbench::said(QObject::tr("Averages cannot be compared. Turn off Mean over all frames first.")));
  if (structure_set_.has(key)) {
    if (const auto why = without_structure(); !why.empty()) throw Error(why);
    auto settings = structure_;
    parameters::StructParameters(structures::structure_schema(), settings.choices).assign(key, value);
    return prepare_again(settings);
  }
  window_.follow_mode(key);
  const auto unit = how_.unit;
  panel_.assign(key, value);
  if (how_.unit != unit) change_unit(unit);
  if (key == "frame") playback_.show_time(request_.moment.frame);
  if (key == "selection") selection_is_told_ = true;
  update();
}

/// What is seen follows all parameters that it depends on.
void ElectrostaticsLab::update() {
  const bool other = window_.follow(field_of(request_), shape_of(request_), surface_engine());
  if (other) cancel_numbers();
  show_patch();
  graph_.update();
  if (why_no_ions_ != why_no_ions()) tell_what_is_missing();
}

std::vector<std::string> ElectrostaticsLab::goes_with(std::string_view key,
                                                      const parameters::Value& value) const {
  if (key != "unit") return LabOfField::goes_with(key, value);
  std::vector<std::string> keys(in_unit.begin(), in_unit.end());
  keys.insert(keys.end(), {"isovalue-mode", "colour-range"});  // last: they follow the values
  return keys;
}

/// What is seen stays as it is.
void ElectrostaticsLab::change_unit(science::PotentialUnit from) {
  const double factor = science::coulomb_constant(how_.unit, how_.temperature_kelvin) /
                        science::coulomb_constant(from, how_.temperature_kelvin);
  for (const char* key : in_unit) {
    const auto described = panel_.description(key);
    panel_.set(key, std::clamp(factor * std::get<double>(panel_.get(key)), described.low, described.high));
  }
  if (context_.parameters_changed) context_.parameters_changed();
}

/// The potential at full resolution, whatever the view shows at this moment.
void ElectrostaticsLab::export_file(const std::filesystem::path& path) {
  if (suffix_of(path) == ".csv") return export_surface_table(path);
  if (!science::is_map_file(path)) return window_.export_file(path);
  if (!molecule_) throw Error(without_molecule());
  window_.write(path, [path, molecule = molecule_, source = field_of(request_)](const auto& progress) {
    const auto made = source->compute(source->grid(), progress.part(0, 0.8));
    science::write_map(science::known_part(*made.field), path, progress.part(0.8, 1), molecule->molecule);
  });
}

workbench::LabEntry lab_entry() {
  return {.description = description(), .make = workbench::make_lab<ElectrostaticsLab>};
}

}  // namespace isolume::labs::electrostatics
