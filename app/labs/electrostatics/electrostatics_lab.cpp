#include <QCoreApplication>
#include <QEvent>
#include <QObject>
#include <QPointer>
#include <QStringList>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vtkRenderer.h>

#include "app/fields/field_window.h"
#include "app/labs/electrostatics/declared_commands.h"
#include "app/labs/electrostatics/frame_playback.h"
#include "app/labs/electrostatics/lab_ions.h"
#include "app/labs/electrostatics/map_scene.h"
#include "app/labs/electrostatics/picture_request.h"
#include "app/labs/electrostatics/residue_outline.h"
#include "app/labs/electrostatics/residue_table.h"
#include "app/labs/electrostatics/selected_atoms.h"
#include "app/scene/camera.h"
#include "app/scene/view_widget.h"
#include "app/workbench/command_registry.h"
#include "app/workbench/engines.h"
#include "app/workbench/file_filter.h"
#include "app/workbench/guarded.h"
#include "app/workbench/lab.h"
#include "app/workbench/translated.h"
#include "core/base/error.h"
#include "core/electrostatics/map_file.h"
#include "core/electrostatics/pair_engine.h"
#include "core/electrostatics/residue_values.h"
#include "core/molecules/document.h"
#include "core/parameters/narrowed.h"
#include "core/structures/charge_readers.h"
#include "core/structures/charged_file.h"
#include "gpu/electrostatics/engines.h"

namespace isolume::labs::electrostatics {
namespace {

using commands::Arguments;
using workbench::guarded;
using MoleculePointer = std::shared_ptr<const ChargedMolecule>;

class ElectrostaticsLab final : public QObject, public workbench::Lab {
  Q_DECLARE_TR_FUNCTIONS(isolume::labs::electrostatics::ElectrostaticsLab)
 public:
  explicit ElectrostaticsLab(workbench::LabContext& context);

  std::vector<workbench::LabPanel> panels() override;
  QWidget* page() override { return playback_.make_page(); }
  void open(const std::filesystem::path& path) override { open(path, {}); }
  void open_again(const std::filesystem::path& path, const nlohmann::json& state) override;
  void restore(const nlohmann::json&) override { window_.leave_camera(); }
  std::function<nlohmann::json()> state() const override {
    return [trajectory = trajectory()] {
      return trajectory.empty() ? nlohmann::json::object()
                                : nlohmann::json{{"trajectory", trajectory.string()}};
    };
  }
  bool moving() const override { return playback_.playing(); }
  void stop_moving() override { playback_.pause(); }
  std::optional<workbench::Passage> passage() override { return playback_.passage(); }
  void shown_changed(bool shown) override {
    if (!shown) playback_.pause();
  }
  parameters::ParameterSet* parameters() override { return molecule_ ? &panel_ : nullptr; }
  void set_parameter(std::string_view key, const parameters::Value& value) override;
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override {
    window_.write_image(path, {width, height, transparent, dpi});
  }
  QString export_filter() const override {
    return tr("Potential as OpenDX (*.dx *.dx.gz)") + ";;" +
           tr("Potential as CCP4 (*.ccp4 *.ccp4.gz *.mrc *.mrc.gz *.map *.map.gz)") + ";;" +
           tr("Potential for VTK (*.vti)") + ";;" + tr("Potential as cube (*.cube)") + ";;" +
           fields::FieldWindow::export_filter();
  }
  void export_file(const std::filesystem::path& path) override;
  void theme_changed(bool) override { window_.theme_changed(); }
  void devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) override;

 private:
  /// The field with its molecule.
  class Display final : public fields::FieldDisplay {
   public:
    Display(vtkRenderer& renderer, const ElectrostaticsLab& lab) : lab_(lab), scene_(renderer) {
      take_molecule();
    }
    void take_molecule() {
      if (lab_.molecule_) scene_.set_molecule(lab_.molecule_);
    }
    scene::FieldScene& field() override { return scene_.field(); }
    void restyle(bool dark) override {
      scene_.set_view(lab_.view_, dark);
      scene_.set_field_lines(lab_.field_lines_);
      scene_.set_residue_potentials(lab_.residue_potentials_);
      scene_.set_outline(lab_.outline_);
      scene_.set_ions(lab_.ions_);
      scene_.set_selection(lab_.selected_);
      scene_.set_selection_outline(lab_.selection_outline_);
    }
    std::function<void()> prepare_export(const std::filesystem::path& path) override {
      return scene_.prepare_export(path);
    }

   private:
    const ElectrostaticsLab& lab_;
    MapScene scene_;
  };

  fields::FieldLab field_lab();
  void open(const std::filesystem::path& path, const std::filesystem::path& trajectory);
  void open_trajectory(const std::filesystem::path& path);
  void show(OpenedMolecule opened);
  void show_frames(OpenedMolecule opened);
  void follow_frame(const scene::FieldPicture& picture);
  std::filesystem::path trajectory() const {
    return request_.frames ? request_.frames->trajectory() : std::filesystem::path();
  }
  bool is_potential() const {
    return where_.compare == science::Compared::nothing && !request_.moment.average &&
           !molecule_->wavefunction;
  }
  QString what_is_missing() const;
  void request_picture(fields::Detail detail = fields::Detail::preview_then_refined);
  void change_unit(science::PotentialUnit from);
  void take(const scene::FieldPicture& picture);
  bool eventFilter(QObject* watched, QEvent* event) override;
  void want_residue_values();
  void want_field_lines();
  void want_residue_potentials();
  void outline_chosen();
  void choose_residue(int residue);
  void want_ions();
  void export_ions(const std::filesystem::path& path, bool with_molecule);
  void take_selection();
  void outline_selection();
  nlohmann::json select(const std::string& expression);
  nlohmann::json choose_residue(const std::string& name);
  void click(double x, double y);
  void run(const std::string& command, const std::vector<std::string>& arguments);
  const scene::FieldPicture& refined_picture() const;
  void export_residues(const std::filesystem::path& path);
  void export_field_lines(const std::filesystem::path& path);
  void narrow(parameters::Description& description) const;
  std::string without_residues() const;
  std::string without_molecule() const {
    return molecule_ ? std::string() : workbench::said(QObject::tr("Open a file first."));
  }
  void add_commands();

  using Engines = std::shared_ptr<const science::EngineRegistry>;

  workbench::LabContext& context_;
  Engines engines_ = workbench::one_engine(science::make_cpu_engine());
  PictureRequest request_;
  const MoleculePointer& molecule_ = request_.molecule;
  science::PotentialOptions& how_ = request_.how;
  MapLattice& where_ = request_.where;
  MapView& view_ = request_.view;
  parameters::StructParameters<science::PotentialOptions> how_set_{science::potential_schema(), how_};
  parameters::StructParameters<MapLattice> where_set_{map_lattice_schema(), where_};
  parameters::StructParameters<MapView> view_set_{map_view_schema(), view_};
  parameters::StructParameters<WavefunctionChoices> quantum_set_{wavefunction_schema(), request_.quantum};
  parameters::StructParameters<FrameChoices> frame_set_{frame_schema(), request_.moment};
  parameters::CombinedParameters all_{{&quantum_set_, &frame_set_, &how_set_, &view_set_, &where_set_}};
  std::map<std::string, parameters::Value, std::less<>> first_values_;  ///< when the molecule was opened
  parameters::NarrowedParameters panel_{
      all_,
      {"Wavefunction", "Frames", "", "Surface", "Volume", "Slice", "Field lines", "Molecule", "Selection",
       "View", "Lattice", "Computation"},
      [this](auto& each) { narrow(each); }};
  QPointer<ResidueTable> table_;
  int residue_ = -1;  ///< the chosen one
  /// What the table's values, the field lines and the outline were made of.
  std::shared_ptr<const lattice::ScalarField> valued_, traced_, painted_;
  MapForm valued_form_{}, traced_form_{}, painted_form_{};
  int traced_count_ = 0;
  std::shared_ptr<const FieldLines> field_lines_;
  std::shared_ptr<const ResiduePotentials> residue_potentials_;
  std::shared_ptr<const scene::LineSet> outline_, selection_outline_;
  std::shared_ptr<const SelectedAtoms> selected_;
  std::shared_ptr<const PlacedIons> ions_;
  bool ions_are_old_ = true;  ///< of another molecule, method or lattice
  fields::FieldWindow window_;
  FramePlayback playback_{context_, window_, [this](int frame, fields::Detail detail) {
                            request_.moment.frame = frame;
                            request_picture(detail);
                          }};
};

constexpr const char* no_residue = "none";  ///< also lets go of a selection
constexpr const char* trajectory_patterns = "(*.dcd *.xtc)";

bool is_trajectory(const std::filesystem::path& path) {
  return workbench::matches_filter(path, trajectory_patterns);
}

ElectrostaticsLab::ElectrostaticsLab(workbench::LabContext& context)
    : context_(context), window_(context, field_lab()) {
  add_commands();
  connect(&context.view, &scene::ViewWidget::clicked, this, &ElectrostaticsLab::click);
}

std::vector<workbench::LabPanel> ElectrostaticsLab::panels() {
  table_ = new ResidueTable;
  table_->installEventFilter(this);
  connect(table_, &ResidueTable::residue_chosen, this, [this](int residue) {
    if (!molecule_ || residue < 0) return;
    run("electrostatics.residue", {molecule_->residues.all[static_cast<std::size_t>(residue)].name});
  });
  return {window_.make_values_panel(tr("Choose a line: electrostatics.line 0 0 0 10 0 0")),
          {QT_TRANSLATE_NOOP("declared", "Residues"), table_, Qt::RightDockWidgetArea}};
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

/// A trajectory may have moved along with the file of its charges.
void ElectrostaticsLab::open_again(const std::filesystem::path& path, const nlohmann::json& state) {
  std::filesystem::path trajectory = state.value("trajectory", std::string());
  std::error_code unknown;
  if (const auto beside = path.parent_path() / trajectory.filename();
      !trajectory.empty() && !std::filesystem::exists(trajectory, unknown) &&
      std::filesystem::exists(beside, unknown))
    trajectory = beside;
  open(path, trajectory);
}

void ElectrostaticsLab::open(const std::filesystem::path& path, const std::filesystem::path& trajectory) {
  if (is_trajectory(path)) return open_trajectory(path);
  const std::string name = workbench::said(tr("Open %1"), path.filename().string());
  context_.jobs.submit(name, "electrostatics.open", [this, path, trajectory](const auto& progress) {
    OpenedMolecule opened;
    if (molecules::may_hold_orbitals(path)) {
      opened.molecule =
          wavefunction_molecule(molecules::read_document(path, progress.part(0, 0.5)), progress.part(0.5, 1));
    } else {
      opened = open_molecule(path, trajectory, progress);
    }
    progress.check();
    context_.on_gui_thread(guarded(this, [this, opened] { show(opened); }));
  });
}

/// Of the molecule that is open, which stays if it does not fit.
void ElectrostaticsLab::open_trajectory(const std::filesystem::path& path) {
  if (!molecule_ || molecule_->wavefunction) {
    throw Error(workbench::said(
        QObject::tr("%1 has places, and no charges: open the file with the charges of its atoms first."),
        path.filename().string()));
  }
  const std::string name = workbench::said(tr("Open %1"), path.filename().string());
  context_.jobs.submit(name, "electrostatics.open",
                       [this, path, charges = molecule_->path](const jobs::Progress& progress) {
                         auto opened = open_molecule(charges, path, progress);
                         progress.check();
                         context_.on_gui_thread(guarded(this, [this, opened] {
                           if (molecule_ && molecule_->path == opened.molecule->path) show_frames(opened);
                         }));
                       });
}

/// The picture changes; what people have chosen stays.
void ElectrostaticsLab::show_frames(OpenedMolecule opened) {
  request_.molecule = std::move(opened.molecule);
  request_.frames = std::move(opened.frames);
  request_.moment.frame = 1;
  playback_.set_frames(request_.frames->size());
  ions_ = nullptr;
  ions_are_old_ = true;
  take_selection();
  static_cast<Display&>(window_.display()).take_molecule();
  if (context_.parameters_changed) context_.parameters_changed();
  if (context_.availability_changed) context_.availability_changed();
  const int count = static_cast<int>(request_.frames->size());
  context_.show_warning(request_.frames->charges().is_cut()
                            ? tr("%1 is cut off within a frame; %n frame(s) are whole.", "", count)
                                  .arg(QString::fromStdString(trajectory().filename().string()))
                            : what_is_missing());
  context_.show_status(
      tr("%1: %n frame(s)", "", count).arg(QString::fromStdString(trajectory().filename().string())));
  request_picture();
}

void ElectrostaticsLab::show(OpenedMolecule opened) {
  playback_.pause();
  window_.clear();
  request_ = first_request(std::move(opened.molecule));
  request_.frames = std::move(opened.frames);
  playback_.set_frames(request_.frames ? request_.frames->size() : 1);
  for (const auto& each : all_.descriptions()) first_values_[each.key] = all_.get(each.key);
  how_.engines = engines_;
  residue_ = -1;
  outline_ = selection_outline_ = nullptr;
  field_lines_ = nullptr;
  residue_potentials_ = nullptr;
  valued_ = traced_ = painted_ = nullptr;
  if (table_) {
    table_->set_values(nullptr, {});
    table_->set_chosen(-1);
  }
  take_selection();
  ions_ = nullptr;
  ions_are_old_ = true;
  auto& display = static_cast<Display&>(window_.display());
  display.field().set_field(nullptr, true);
  display.take_molecule();
  window_.restyle();
  scene::view_from(*context_.view.renderer(), "tilted");
  display.field().forget_camera();
  const QString file = QString::fromStdString(molecule_->path.filename().string());
  if (context_.document_opened) context_.document_opened(molecule_->path, file);
  context_.show_warning(what_is_missing());
  context_.show_status(tr("%1: %n atom(s), charge %2 e", "", static_cast<int>(molecule_->charges.size()))
                           .arg(file)
                           .arg(structures::total_charge(molecule_->charges), 0, 'f', 2));
  request_picture();
}

void ElectrostaticsLab::devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) {
  workbench::prepare_engines(
      context_, "electrostatics", this,
      [devices] { return std::make_shared<const science::EngineRegistry>(gpu::make_pair_engines(devices)); },
      [this](const Engines& engines) {
        engines_ = how_.engines = engines;
        if (molecule_) context_.parameters_changed();  // engines to choose from
      });
}

/// Residues and atoms that have no charge, and residues that lack atoms, a line for each kind; of a wavefunction, what its
/// reader warns of.
QString ElectrostaticsLab::what_is_missing() const {
  const auto listed = [](const std::vector<std::string>& names) {
    return QString::fromStdString(fmt::format("{}", fmt::join(names, ", ")));
  };
  QStringList lines;
  if (molecule_->wavefunction) {
    const auto& document = molecule_->wavefunction->document();
    for (const auto& each : document.warnings) {
      const bool put_right = document.orthonormality.proven() && each == document.orthonormality.explanation;
      if (!put_right) lines += QString::fromStdString(each);
    }
    return lines.join('\n');
  }
  const auto& made = molecule_->preparation;
  const auto unknown =
      made ? made->without_parameters : structures::residues_without_parameters(molecule_->charges);
  if (!unknown.empty()) lines += tr("Without charge: %1").arg(listed(unknown));
  if (made && !made->unknown_atoms.empty())
    lines += tr("Atoms without charge: %1").arg(listed(made->unknown_atoms));
  if (made && !made->incomplete.empty()) {
    std::vector<std::string> residues;
    for (const auto& each : made->incomplete) residues.push_back(each.residue);
    lines += tr("Atoms are missing in: %1").arg(listed(residues));
  }
  return lines.join('\n');
}

void ElectrostaticsLab::request_picture(fields::Detail detail) {
  window_.show(field_of(request_), detail, shape_of(request_));
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
  if (frame_set_.has(key) && !request_.frames) description.relevant_when = never;
  if (key == "frame") description.high = request_.frames ? static_cast<double>(request_.frames->size()) : 1;
  if (key == "compare" && request_.moment.average) description.relevant_when = never;
  const bool other_form = key == "density-isovalue" && view_.shown != Shown::surface;
  if (other_form || !why_meaningless(*molecule_, key).empty()) description.relevant_when = never;
  if (key == "form" && !wavefunction) description.choices.pop_back();
  if (!wavefunction) return;
  if (key == "set") description.high = wavefunction->set_count();
  if (key == "probe") description.relevant_when = {"form", {"ses", "sas"}};
  if (key == "temperature") description.relevant_when = {"unit", {"kT/e"}};
}

std::string ElectrostaticsLab::without_residues() const {
  if (!molecule_ || !molecule_->wavefunction) return without_molecule();
  return workbench::said(QObject::tr("A wavefunction has no residues."));
}

void ElectrostaticsLab::set_parameter(std::string_view key, const parameters::Value& value) {
  if (!molecule_) throw Error(without_molecule());
  if (const auto why = why_meaningless(*molecule_, key); !why.empty()) throw Error(why);
  if (key == "average" && !request_.frames)
    throw Error(workbench::said(QObject::tr("This file has one frame alone.")));
  if (key == "compare" && request_.moment.average)
    throw Error(workbench::said(QObject::tr("A mean over frames is not compared. Show one frame.")));
  window_.follow_mode(key);
  const auto unit = how_.unit;
  panel_.set(key, value);
  if (how_.unit != unit) change_unit(unit);
  if (key == "frame") playback_.show_frame(request_.moment.frame);
  if (how_set_.has(key) || where_set_.has(key)) ions_are_old_ = true;
  if (key == "ions" || ions_are_old_) want_ions();
  if (how_set_.has(key) || where_set_.has(key) || quantum_set_.has(key) || frame_set_.has(key) ||
      key == "density-isovalue" || key == "shown" || key == "form" || key == "isovalue" || key == "volume")
    return request_picture();
  want_field_lines();
  want_residue_potentials();
  if (key == "selection") take_selection();
  window_.restyle();
  window_.keep_in_view();  // a slice may reach beyond the surfaces
}

// Residues and field lines follow the picture.

/// The molecule that is drawn is the one whose potential is.
void ElectrostaticsLab::follow_frame(const scene::FieldPicture& picture) {
  if (!request_.frames) return;
  auto molecule = request_.frames->molecule_of(picture.shape ? *picture.shape : *picture.field);
  if (!molecule) molecule = request_.frames->molecule_of(*picture.field);
  if (!molecule || molecule == molecule_) return;
  request_.molecule = molecule;
  // Its places are others.
  selected_ = select_atoms(*molecule_, view_.selection);
  ions_ = nullptr;
  ions_are_old_ = true;
  static_cast<Display&>(window_.display()).take_molecule();
  window_.restyle();
}

/// Of pictures that will be there for a while.
void ElectrostaticsLab::take(const scene::FieldPicture& picture) {
  follow_frame(picture);
  outline_chosen();
  outline_selection();
  if (!picture.refined) return;
  want_ions();
  want_residue_values();
  want_field_lines();
  want_residue_potentials();
}

bool ElectrostaticsLab::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_ && event->type() == QEvent::Show) want_residue_values();
  return QObject::eventFilter(watched, event);
}

/// Energies take as long as the map, and only who sees the table wants them.
void ElectrostaticsLab::want_residue_values() {
  const auto& picture = window_.picture();
  if (!table_ || !table_->isVisible() || !picture || !picture->refined) return;
  if (!is_potential()) {
    valued_ = nullptr;
    return table_->set_values(
        nullptr, {});  // a difference and a mean are of no molecule, and a wavefunction has no residues
  }
  if (valued_ == picture->field && valued_form_ == view_.form) return;
  valued_ = picture->field;
  valued_form_ = view_.form;
  context_.jobs.submit(
      workbench::said(tr("Values of residues")), "electrostatics.residues",
      [this, request = request_, field = picture->field](const jobs::Progress& progress) {
        auto values = std::make_shared<const std::vector<science::ResidueValues>>(
            science::residue_values(request.molecule->charges, *field, request.how,
                                    molecular_surface_of(request.view.form), progress));
        progress.check();
        context_.on_gui_thread(guarded(this, [this, values, field] {
          if (table_ && valued_ == field) table_->set_values(values, QString::fromStdString(field->unit));
        }));
      },
      jobs::Waited::by_nobody);
}

void ElectrostaticsLab::want_field_lines() {
  const auto& picture = window_.picture();
  if (!view_.field_lines || !picture || !picture->refined) return;
  if (traced_ == picture->field && traced_form_ == view_.form && traced_count_ == view_.field_line_count)
    return;
  traced_ = picture->field;
  traced_form_ = view_.form;
  traced_count_ = view_.field_line_count;
  context_.jobs.submit(workbench::said(tr("Field lines")), "electrostatics.field-lines",
                       [this, request = request_, field = picture->field](const jobs::Progress& progress) {
                         auto lines = lines_along_field(request, *field, progress);
                         progress.check();
                         context_.on_gui_thread(guarded(this, [this, lines, field] {
                           if (traced_ != field) return;
                           field_lines_ = lines;
                           window_.restyle();
                         }));
                       });
}

void ElectrostaticsLab::want_residue_potentials() {
  const auto& picture = window_.picture();
  if (!wants_residue_potentials(view_) || !picture || !picture->refined) return;
  if (painted_ == picture->field && painted_form_ == view_.form) return;
  painted_ = picture->field;
  painted_form_ = view_.form;
  context_.jobs.submit(workbench::said(tr("Colours of the ribbon")), "electrostatics.ribbon",
                       [this, request = request_, field = picture->field](const jobs::Progress& progress) {
                         auto potentials = residue_potentials(request, *field, progress);
                         progress.check();
                         context_.on_gui_thread(guarded(this, [this, potentials, field] {
                           if (painted_ != field) return;
                           residue_potentials_ = potentials;
                           window_.restyle();
                         }));
                       });
}

void ElectrostaticsLab::outline_chosen() {
  outline_ = nullptr;
  const auto& picture = window_.picture();
  if (residue_ >= 0 && picture && view_.shown == Shown::surface) {
    outline_ = std::make_shared<const scene::LineSet>(
        residue_outline(picture->lobes, *molecule_, static_cast<std::size_t>(residue_)));
  }
  window_.restyle();
}

void ElectrostaticsLab::choose_residue(int residue) {
  residue_ = residue;
  if (table_) table_->set_chosen(residue);
  outline_chosen();
}

/// They do not wait for the map, which is another method's.
void ElectrostaticsLab::want_ions() {
  if (view_.ions == IonsShown::none || !ions_are_old_) return;
  ions_are_old_ = false;
  context_.jobs.submit(workbench::said(tr("Ions")), "electrostatics.ions",
                       [this, request = request_](const jobs::Progress& progress) {
                         auto ions = place_counter_ions(request, progress);
                         progress.check();
                         context_.on_gui_thread(guarded(this, [this, ions, molecule = request.molecule] {
                           if (molecule_ != molecule) return;
                           ions_ = ions;
                           window_.restyle();
                           context_.show_status(tr("%n ion(s) placed", "", static_cast<int>(ions->size())));
                         }));
                       });
}

void ElectrostaticsLab::export_ions(const std::filesystem::path& path, bool with_molecule) {
  if (view_.ions == IonsShown::none || !ions_)
    throw Error(workbench::said(QObject::tr("There are no ions: electrostatics.ions.toggle places them.")));
  window_.write(path, [path, ions = ions_, molecule = molecule_, with_molecule](const auto& progress) {
    write_ions(*ions, with_molecule ? molecule.get() : nullptr, path, progress);
  });
}

// The selection is a parameter: sessions keep it, and it can be undone.

void ElectrostaticsLab::take_selection() {
  selected_ = select_atoms(*molecule_, view_.selection);
  if (table_) table_->set_selected(selected_ ? selected_->residues : std::vector<bool>());
  outline_selection();
}

/// Of a large surface that takes longer than a frame.
void ElectrostaticsLab::outline_selection() {
  const auto& picture = window_.picture();
  if (!selected_ || !picture || view_.shown != Shown::surface) {
    selection_outline_ = nullptr;
    return;
  }
  auto lobes = picture->lobes;
  for (auto* surface : {&lobes.positive, &lobes.negative}) {
    surface->mesh = scene::mesh_of(*surface);  // one that a GPU has is fetched on this thread alone
    surface->on_gpu.reset();
  }
  context_.jobs.submit(
      workbench::said(tr("Outline of the selection")), "electrostatics.selection",
      [this, lobes, selected = selected_, molecule = molecule_](const jobs::Progress& progress) {
        auto outline =
            std::make_shared<const scene::LineSet>(atoms_outline(lobes, *molecule, selected->atoms));
        progress.check();
        context_.on_gui_thread(guarded(this, [this, outline, selected] {
          if (selected_ != selected || view_.shown != Shown::surface) return;
          selection_outline_ = outline;
          window_.restyle();
        }));
      });
}

/// For scripts: how many atoms and residues, and their charge in e.
nlohmann::json ElectrostaticsLab::select(const std::string& expression) {
  context_.set_parameters(tr("Selection"), {{"selection", expression}});
  if (!selected_) {
    context_.show_status(tr("Nothing is selected"));
    return {};
  }
  context_.show_status(
      tr("%n atom(s) of %1 residues selected, charge %2 e", "", static_cast<int>(selected_->atom_count))
          .arg(selected_->residue_count)
          .arg(selected_->charge, 0, 'f', 2));
  return {{"selection", expression},
          {"atoms", selected_->atom_count},
          {"residues", selected_->residue_count},
          {"charge", selected_->charge}};
}

/// For scripts: its name, charge in e, and whether any of it is seen on the surface.
nlohmann::json ElectrostaticsLab::choose_residue(const std::string& name) {
  if (name == no_residue) {
    choose_residue(-1);
    context_.show_status(tr("No residue is chosen"));
    return {};
  }
  const auto place = find_residue(*molecule_, name);
  const auto& found = molecule_->residues.all[place];
  choose_residue(static_cast<int>(place));
  double charge = 0;
  for (const auto atom : found.atoms) charge += molecule_->charges.charge[atom];
  const bool seen = outline_ && !outline_->starts.empty();
  QString told = tr("%1: charge %2 e").arg(QString::fromStdString(name)).arg(charge, 0, 'f', 2);
  if (!found.has_parameters) told = tr("%1: no charge is known of it").arg(QString::fromStdString(name));
  if (view_.shown == Shown::surface && !seen) told += tr(" | not on the surface");
  context_.show_status(told);
  return {{"residue", name}, {"charge", charge}, {"on_surface", seen}};
}

/// On the surface: its residue is chosen.
void ElectrostaticsLab::click(double x, double y) {
  if (!molecule_ || molecule_->wavefunction || view_.shown != Shown::surface) return;
  const auto place = window_.display().field().place_on_surface(x, y);
  const auto atom = place ? molecule_->nearest.at(*place) : science::NearestAtoms::none;
  if (atom == science::NearestAtoms::none) return;
  const auto residue = molecule_->residues.of_atom[static_cast<std::size_t>(atom)];
  run("electrostatics.residue", {molecule_->residues.all[residue].name});
}

void ElectrostaticsLab::run(const std::string& command, const std::vector<std::string>& arguments) {
  try {
    context_.commands.run(command, arguments);
  } catch (const Error& error) {
    context_.show_status(QString::fromUtf8(error.what()));
  }
}

const scene::FieldPicture& ElectrostaticsLab::refined_picture() const {
  const auto& picture = window_.picture();
  if (!picture || !picture->refined)
    throw Error(workbench::said(QObject::tr("The picture is not there yet: try again in a moment.")));
  return *picture;
}

void ElectrostaticsLab::export_residues(const std::filesystem::path& path) {
  if (!is_potential()) {
    throw Error(workbench::said(
        QObject::tr("A difference or a mean is shown, and residues have values of a molecule's potential. "
                    "Compare with nothing, and choose one frame.")));
  }
  window_.write(path, [path, request = request_, field = refined_picture().field](const auto& progress) {
    science::write_residue_values(science::residue_values(request.molecule->charges, *field, request.how,
                                                          molecular_surface_of(request.view.form), progress),
                                  field->unit, path);
  });
}

void ElectrostaticsLab::export_field_lines(const std::filesystem::path& path) {
  window_.write(path, [path, request = request_, field = refined_picture().field](const auto& progress) {
    write_field_lines(*lines_along_field(request, *field, progress), field->unit, path);
  });
}

/// What is seen stays as it is.
void ElectrostaticsLab::change_unit(science::PotentialUnit from) {
  const double factor = science::coulomb_constant(how_.unit, how_.temperature_kelvin) /
                        science::coulomb_constant(from, how_.temperature_kelvin);
  view_.isovalue *= factor;
  view_.colour_limit *= factor;
  if (context_.parameters_changed) context_.parameters_changed();
}

/// The potential at full resolution, whatever the view shows at this moment.
void ElectrostaticsLab::export_file(const std::filesystem::path& path) {
  if (!science::is_map_file(path)) return window_.export_file(path);
  if (!molecule_) throw Error(without_molecule());
  window_.write(path, [path, molecule = molecule_, source = field_of(request_)](const auto& progress) {
    const auto made = source->compute(source->lattice(), progress.part(0, 0.8));
    science::write_map(*made.field, path, progress.part(0.8, 1), molecule->molecule);
  });
}

void ElectrostaticsLab::add_commands() {
  auto& registry = context_.commands;
  registry.declare(declared_commands());
  playback_.bind_commands();
  const auto unavailable = [this] { return without_molecule(); };
  const auto place = [](const Arguments& arguments, const char* x, const char* y, const char* z) {
    return Eigen::Vector3d(arguments.number(x), arguments.number(y), arguments.number(z));
  };
  registry.bind(
      "electrostatics.show",
      [this](const Arguments& arguments) {
        context_.set_parameters(tr("Show"), {{"shown", arguments.text("what")}});
      },
      unavailable);
  registry.bind("electrostatics.slice.toggle",
                [this](const Arguments&) {
                  context_.set_parameters(tr("Slice plane"), {{"slice", view_.slice ? "false" : "true"}});
                },
                unavailable, {.shortcut = "Ctrl+Shift+X", .checked = [this] { return view_.slice; }});
  registry.bind(
      "electrostatics.field-lines.toggle",
      [this](const Arguments&) {
        context_.set_parameters(tr("Field lines"), {{"field-lines", view_.field_lines ? "false" : "true"}});
      },
      unavailable, {.shortcut = "", .checked = [this] { return view_.field_lines; }});
  registry.bind(
      "electrostatics.field-lines.export",
      [this](const Arguments& arguments) { export_field_lines(arguments.text("path")); }, unavailable);
  registry.bind(
      "electrostatics.trajectory",
      [this](const Arguments& arguments) { open_trajectory(arguments.text("path")); }, unavailable);
  registry.bind(
      "electrostatics.residue",
      [this](const Arguments& arguments) { return choose_residue(arguments.text("residue")); },
      [this] { return without_residues(); });
  registry.bind("electrostatics.ions.toggle",
                [this](const Arguments&) {
                  const bool shown = view_.ions != IonsShown::none;
                  context_.set_parameters(tr("Ions"), {{"ions", shown ? "none" : "counter-ions"}});
                },
                unavailable, {.shortcut = "", .checked = [this] { return view_.ions != IonsShown::none; }});
  registry.bind(
      "electrostatics.ions.export",
      [this](const Arguments& arguments) {
        export_ions(arguments.text("path"), arguments.text("what") == "all");
      },
      unavailable);
  registry.bind(
      "electrostatics.select",
      [this](const Arguments& arguments) {
        const auto expression = arguments.text("expression");
        return select(expression == no_residue ? std::string() : expression);
      },
      unavailable);
  registry.bind(
      "electrostatics.isolate.toggle",
      [this](const Arguments&) {
        context_.set_parameters(tr("Only what is selected"), {{"isolate", view_.isolate ? "false" : "true"}});
      },
      unavailable, {.shortcut = "", .checked = [this] { return view_.isolate; }});
  registry.bind(
      "electrostatics.residues.export",
      [this](const Arguments& arguments) { export_residues(arguments.text("path")); },
      [this] { return without_residues(); });
  registry.bind(
      "electrostatics.probe",
      [this, place](const Arguments& arguments) { return window_.probe(place(arguments, "x", "y", "z")); },
      unavailable);
  registry.bind(
      "electrostatics.line",
      [this, place](const Arguments& arguments) {
        window_.choose_line(place(arguments, "x", "y", "z"), place(arguments, "to-x", "to-y", "to-z"));
      },
      unavailable);
}

}  // namespace

workbench::LabEntry lab_entry() {
  QStringList patterns;
  for (const auto& format : structures::charge_formats()) {
    for (const auto ending : format.endings) {
      const auto pattern = "*" + QString::fromUtf8(ending.data(), static_cast<qsizetype>(ending.size()));
      patterns << pattern << pattern + ".gz";
    }
  }
  // Of all that can hold orbitals; other fields and geometries of such names are another lab's.
  const QString wavefunctions =
      "(*.molden *.molden.* *.input *.fchk *.fchk.gz *.fch *.fch.gz *.log *.log.gz *.out *.out.gz *.wfn "
      "*.wfn.gz *.wfx *.wfx.gz *.mwfn *.mwfn.gz *.mkl *.mkl.gz *.47 *.47.gz *.dat *.dat.gz *.xml *.xml.gz "
      "*.cjson *.cjson.gz *.json *.json.gz)";
  const QString charges = "(" + patterns.join(' ') + ")";
  const QString files = QObject::tr("Charges and structures") + " " + charges + ";;" +
                        QObject::tr("Wavefunctions") + " " + wavefunctions + ";;" +
                        QObject::tr("Trajectories") + " " + trajectory_patterns;
  return {
      .name = "electrostatics",
      .title = QObject::tr("Electrostatics"),
      .summary = QObject::tr("Potentials of molecules in water and salt, on their surfaces and in space."),
      .file_filter = files,
      .samples = {{QObject::tr("Fasciculin"), QObject::tr("Toxin of 61 residues, charge +4 e"),
                   "samples/fasciculin.pqr.gz"}},
      // An XYZ file without charges is another lab's.
      .opens =
          [charges, wavefunctions](const std::filesystem::path& path) {
            if (workbench::matches_filter(path, wavefunctions)) return molecules::may_hold_orbitals(path);
            if (is_trajectory(path)) return true;
            return workbench::matches_filter(path, charges) &&
                   (structures::charge_format_of(path) != structures::ChargeFormat::xyz ||
                    structures::xyz_has_charges(path));
          },
      .make = [](workbench::LabContext& context) { return std::make_unique<ElectrostaticsLab>(context); },
      .commands = declared_commands,
      .parameters =
          [] {
            auto how = usual_options();
            MapLattice where;
            MapView view;
            parameters::StructParameters how_set(science::potential_schema(), how);
            parameters::StructParameters where_set(map_lattice_schema(), where);
            parameters::StructParameters view_set(map_view_schema(), view);
            WavefunctionChoices quantum;
            parameters::StructParameters quantum_set(wavefunction_schema(), quantum);
            FrameChoices moment;
            parameters::StructParameters frame_set(frame_schema(), moment);
            return parameters::CombinedParameters({&quantum_set, &frame_set, &how_set, &view_set, &where_set})
                .descriptions();
          }};
}

}  // namespace isolume::labs::electrostatics
