#include "app/labs/orbitals/orbitals_lab.h"

#include <QUndoStack>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "app/labs/orbitals/description.h"
#include "app/labs/orbitals/lab.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/engines.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/contract/value_change.h"
#include "core/base/error.h"
#include "core/base/logging.h"
#include "gpu/electrostatics/engines.h"
#include "gpu/interop/make_surface_engine.h"
#include "gpu/orbitals/engines.h"

namespace isolume::labs::orbitals {
/// The field with its molecule.
class OrbitalsLab::Display final : public fields::FieldDisplay {
 public:
  Display(vtkRenderer& renderer, const OrbitalsLab& lab) : lab_(lab), scene_(renderer) {
    if (!lab_.document_) return;
    scene_.set_molecule(lab_.molecule());
    scene_.set_measured(lab_.measured_.atoms());
  }
  OrbitalScene& scene() { return scene_; }
  scene::FieldScene& field() override { return scene_.field(); }
  void restyle(bool dark) override { scene_.set_view(lab_.view_, dark); }
  std::function<void()> prepare_export(const std::filesystem::path& path) override {
    return scene_.prepare_export(path);
  }

 private:
  const OrbitalsLab& lab_;
  OrbitalScene scene_;
};

OrbitalsLab::OrbitalsLab(workbench::LabContext& context)
    : context_(context),
      engines_(workbench::one_engine(science::make_cpu_engine())),
      table_(new OrbitalTable),
      diagram_(new LevelDiagram),
      info_(new MoleculeInfo),
      window_(context, field_lab()),
      scene_(static_cast<Display&>(window_.display()).scene()) {
  connect(table_, &OrbitalTable::orbital_chosen, this,
          [this](int orbital) { run("orbitals.select", orbital_arguments(orbital)); });
  connect(table_, &OrbitalTable::set_chosen_by_person, this,
          [this](int set) { run("orbitals.choose-set", {std::to_string(set + 1)}); });
  connect(diagram_, &LevelDiagram::orbital_chosen, this,
          [this](int orbital) { run("orbitals.select", orbital_arguments(orbital)); });
  connect(info_, &MoleculeInfo::field_chosen, this,
          [this](int field) { run("orbitals.field.choose", {std::to_string(field + 1)}); });
  connect(info_, &MoleculeInfo::frame_chosen, this, &OrbitalsLab::choose_frame);
  playback_.time().set_at_end(simulation::Clock::AtEnd::loop);
  add_orbital_commands();
  add_field_commands();
  add_view_commands();
  add_frame_commands();
  measured_.bind(
      [this] { return document_ ? std::string() : workbench::said(QObject::tr("Open a file first.")); });
  add_record_command();
  playback_.bind();
  connect(&context.view, &scene::ViewWidget::clicked, this, &OrbitalsLab::click);
  context.view.installEventFilter(this);
}

fields::FieldLab OrbitalsLab::field_lab() {
  return {
      .name = "orbitals",
      .view = view_,
      .parameters = view_set_,
      .unit = [this] { return shown_unit(); },
      .make_display = [this](vtkRenderer& renderer) { return std::make_unique<Display>(renderer, *this); },
      .slice_command = "orbitals.slice.move",
      .first_look = "",  // the molecule is there before its field
      .moving = [this] { return playback_.playing(); },
      .shown = [this](const scene::FieldPicture&) { leave_enclosed(); }};
}

std::vector<workbench::LabPanel> OrbitalsLab::panels() {
  return {{QT_TRANSLATE_NOOP("declared", "Orbitals"), table_, Qt::LeftDockWidgetArea},
          {QT_TRANSLATE_NOOP("declared", "Energy levels"), diagram_, Qt::LeftDockWidgetArea},
          {QT_TRANSLATE_NOOP("declared", "Molecule"), info_, Qt::RightDockWidgetArea},
          window_.make_values_panel(tr("Click two atoms to see the field between them."))};
}

// Opening.

void OrbitalsLab::open(const std::filesystem::path& path) {
  const std::string name = workbench::said(tr("Open %1"), path.filename().string());
  context_.jobs.submit(name, "orbitals.open", [this, path](const jobs::Progress& progress) {
    auto document = std::make_shared<const molecules::Document>(molecules::read_document(path, progress));
    progress.check();
    const auto parameters = first_parameters(document);
    context_.on_gui_thread(
        guarded(this, [this, document, parameters] { show_document(document, parameters); }));
  });
}

void OrbitalsLab::show_document(DocumentPointer document, const science::FieldParameters& parameters) {
  playback_.pause();
  window_.clear();
  document_ = std::move(document);
  keep_potential();
  field_ = parameters;
  view_ = {};
  isosurfaces_.clear();
  file_field_ = 0;
  frame_ = 0;
  measured_.forget();
  scene_.clear();
  scene_.set_molecule(document_->molecule);
  window_.restyle();
  fit_camera();
  show_orbital_lists();
  follow_superposition();
  info_->set_document(*document_);
  const QString name = QString::fromStdString(document_->path.filename().string());
  if (context_.document_opened) context_.document_opened(document_->path, name);
  if (wavefunction() != nullptr) table_->setFocus();  // the arrow keys step through the orbitals at once
  show_verdict();
  context_.show_status(
      tr("%1: %n atom(s)", "", static_cast<int>(document_->molecule.atoms.size())).arg(name));
  if (without_field().empty()) return request_picture();
  // No picture follows that would fit the camera to a view which has its shape only from its first frame on.
  connect(
      &context_.view, &scene::ViewWidget::rendered, this, [this] { window_.keep_in_view(); },
      Qt::SingleShotConnection);
}

/// All remarks on the file stand in a banner; what is as it should be goes to the log.
void OrbitalsLab::show_verdict() const {
  const auto is_verdict = [this](const Remark& remark) {
    return remark.text == document_->orthonormality.explanation;
  };
  std::string banner;
  if (wavefunction() != nullptr) {
    // The remark, with the numbers that prove it.
    const std::string verdict = fmt::format("{}: {}", document_->path.filename().string(),
                                            orthonormality_text(document_->orthonormality));
    if (std::ranges::any_of(document_->remarks, is_verdict)) {
      banner = verdict;
    } else {
      log::info("{}", verdict);
    }
  }
  for (const auto& remark : document_->remarks) {
    if (!is_verdict(remark)) banner += (banner.empty() ? "" : "\n") + remark.text;
  }
  context_.show_warning(QString::fromStdString(banner));
}

void OrbitalsLab::show_orbital_lists() {
  const auto wavefunction_shown = document_ ? document_->wavefunction : nullptr;
  const auto set = static_cast<std::size_t>(field_.set - 1);
  table_->set_orbitals(wavefunction_shown, set);
  diagram_->set_orbitals(wavefunction_shown, set);
  follow_orbital();
}

/// Of a superposition, those with the largest weights first; none of other fields.
std::vector<int> OrbitalsLab::superposed_orbitals() const {
  if (!animated(field_.field)) return {};
  auto terms = science::to_request(field_, *wavefunction()).terms;
  std::ranges::stable_sort(terms, std::ranges::greater(),
                           [](const auto& term) { return std::abs(term.weight); });
  std::vector<int> orbitals;
  for (const auto& term : terms) orbitals.push_back(term.orbital);
  return orbitals;
}

void OrbitalsLab::follow_orbital() {
  if (wavefunction() == nullptr) return;
  const auto members = superposed_orbitals();
  const int orbital = members.empty() ? chosen_orbital() : members.front();
  table_->set_members(members);
  diagram_->set_members(members);
  table_->set_chosen(orbital);
  diagram_->set_chosen(orbital);
}

// Parameters.

parameters::ParameterSet* OrbitalsLab::parameters() {
  if (!document_) return nullptr;
  return wavefunction() != nullptr ? &wavefunction_panel_ : &view_panel_;
}

void OrbitalsLab::narrow(parameters::Description& description) const {
  if (wavefunction() != nullptr) narrow_to(*wavefunction(), *engines_, description);
  if (const auto& loop = playback_.time().clock().range();
      loop && description.key == "time" && animated(field_.field))
    description.usual = {loop->low, loop->high};
  if (description.key == "colour-by" && wavefunction() == nullptr) description.choices.resize(1);
  if (!of_density() && (description.key == "enclosed" || description.key == "isovalue-mode"))
    description.relevant_when = {"isovalue-mode", {"enclosed"}};
  window_.narrow(description);
}

std::string OrbitalsLab::shown_unit() const {
  if (wavefunction() != nullptr) return std::string(science::field_unit(field_.field));
  return file_field_ < document_->fields.size() ? document_->fields[file_field_]->unit : std::string();
}

/// Other fields of a file, such as potentials, have no density that a surface could enclose.
bool OrbitalsLab::of_density() const {
  if (wavefunction() != nullptr) return true;
  const std::string unit = shown_unit();
  return unit == science::field_unit(science::FieldKind::orbital) ||
         unit == science::field_unit(science::FieldKind::density);
}

/// The first isovalue of a field without a density is computed from its values as for one with a density; from then on
/// it is set by value.
void OrbitalsLab::leave_enclosed() {
  if (of_density() || window_.awaiting() || view_.isovalue_mode == IsovalueMode::value) return;
  view_.isovalue_mode = IsovalueMode::value;
  if (context_.parameters_changed) context_.parameters_changed();
}

/// Fields of one kind have comparable values: the isovalue of one suits the others.
std::string OrbitalsLab::isovalue_kind() const {
  if (wavefunction() == nullptr) return shown_unit();
  if (science::is_amplitude(field_.field)) return "orbital";
  return science::is_signed(field_.field) ? std::string(science::to_string(field_.field)) : "density";
}

/// Isovalues of different kinds have different units and sizes. Each kind keeps its own; a kind that was not shown
/// before begins with an enclosed fraction, which suits every field.
void OrbitalsLab::follow_kind(const std::string& before) {
  const std::string now = isovalue_kind();
  if (now == before) return;
  isosurfaces_[before] = {view_.isovalue_mode, view_.isovalue, view_.enclosed};
  const ViewParameters usual;
  Isosurface shown{usual.isovalue_mode, usual.isovalue, usual.enclosed};
  if (const auto kept = isosurfaces_.find(now); kept != isosurfaces_.end()) {
    shown = kept->second;
  } else if (view_.isovalue_mode == IsovalueMode::enclosed) {
    shown.enclosed = view_.enclosed;
  }
  view_.isovalue_mode = shown.mode;
  view_.isovalue = shown.isovalue;
  view_.enclosed = shown.enclosed;
  if (context_.parameters_changed) context_.parameters_changed();
}

std::unique_ptr<QUndoCommand> OrbitalsLab::reset_kept() {
  if (isosurfaces_.empty()) return nullptr;
  using Kept = std::map<std::string, Isosurface>;
  return std::make_unique<workbench::ValueChange<Kept>>(tr("Isovalues of other fields"), isosurfaces_, Kept{},
                                                        [this](const Kept& kept) { isosurfaces_ = kept; });
}

void OrbitalsLab::set_parameter(std::string_view key, const parameters::Value& value) {
  auto* set = parameters();
  if (set == nullptr) throw Error(workbench::said(QObject::tr("Open a file first.")));
  window_.follow_mode(key);
  const auto field_before = field_;
  const auto view_before = view_;
  const std::string kind_before = isovalue_kind();
  set->assign(key, value);
  follow_kind(kind_before);
  change_potential_unit(view_before.potential_unit);
  if (setting_several_) return;
  try {
    update_after(field_set_.has(key), field_before.set != field_.set);
  } catch (...) {
    field_ = field_before;
    view_ = view_before;
    throw;
  }
}

void OrbitalsLab::keep_potential() {
  potential_ = wavefunction() != nullptr
                   ? std::make_shared<const SurfacePotential>(document_, potential_engines_)
                   : nullptr;
}

/// What is seen stays as it is.
void OrbitalsLab::change_potential_unit(isolume::electrostatics::PotentialUnit from) {
  if (view_.potential_unit == from || view_.colour_by != ColourBy::potential) return;
  constexpr double kelvin = 298.15;
  const double factor = isolume::electrostatics::coulomb_constant(view_.potential_unit, kelvin) /
                        isolume::electrostatics::coulomb_constant(from, kelvin);
  view_.colour_limit *= factor;
  view_.colour_low *= factor;
  view_.colour_high *= factor;
  if (context_.parameters_changed) context_.parameters_changed();
}

/// The least that brings the picture up to the parameters: a style needs neither field nor surface anew.
void OrbitalsLab::update_after(bool field_changed, bool set_changed) {
  if (field_changed) follow_superposition();
  if (without_field().empty()) {
    follow_picture();
  } else {
    window_.restyle();
  }
  if (set_changed) show_orbital_lists();
  if (field_changed) follow_orbital();
}

/// Changes parameters together, as one step of undo.
void OrbitalsLab::set_parameters(const QString& what,
                                 std::vector<std::pair<std::string, std::string>> values) {
  std::erase_if(values, [&](const auto& each) {
    return parameters::to_text(parameters()->get(each.first)) == each.second;
  });
  if (values.empty()) return;
  const int set_before = field_.set;
  setting_several_ = true;
  std::exception_ptr failure;
  try {
    context_.set_parameters(what, values);
  } catch (...) {
    failure = std::current_exception();
  }
  setting_several_ = false;
  update_after(true, set_before != field_.set);
  if (failure) std::rethrow_exception(failure);
}

/// For what people do with the mouse and the keys in the panels: an error becomes a line in the status bar.
void OrbitalsLab::run(const std::string& command, const std::vector<std::string>& arguments) {
  try {
    context_.commands.run(command, arguments);
  } catch (const Error& error) {
    context_.show_status(QString::fromUtf8(error.what()));
  }
}

// The machine and the window.

void OrbitalsLab::devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) {
  struct Made {
    EnginesPointer engines;
    SurfacePotential::Engines potential_engines;
    std::shared_ptr<gpu::SurfaceEngine> surfaces;
  };
  workbench::prepare_engines(
      context_, "orbitals", this,
      [devices] {
        return Made{std::make_shared<const science::EngineRegistry>(gpu::make_orbital_engines(devices)),
                    std::make_shared<const isolume::electrostatics::QuantumEngineRegistry>(
                        gpu::make_quantum_engines(devices)),
                    gpu::make_surface_engine(devices)};
      },
      [this](const Made& made) {
        engines_ = made.engines;
        surfaces_ = made.surfaces;
        potential_engines_ = made.potential_engines;
        keep_potential();
        if (document_) context_.parameters_changed();  // engines to choose from
      });
}

workbench::LabEntry lab_entry() {
  return {.description = description(), .make = workbench::make_lab<OrbitalsLab>};
}

}  // namespace isolume::labs::orbitals
