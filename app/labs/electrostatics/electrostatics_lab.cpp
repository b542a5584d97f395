#include <QCoreApplication>
#include <QObject>
#include <QPointer>
#include <QStringList>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vtkRenderer.h>

#include "app/fields/field_window.h"
#include "app/labs/electrostatics/declared_commands.h"
#include "app/labs/electrostatics/map_scene.h"
#include "app/labs/electrostatics/picture_request.h"
#include "app/scene/camera.h"
#include "app/scene/view_widget.h"
#include "app/workbench/command_registry.h"
#include "app/workbench/file_filter.h"
#include "app/workbench/guarded.h"
#include "app/workbench/lab.h"
#include "app/workbench/translated.h"
#include "core/base/error.h"
#include "core/electrostatics/opendx.h"
#include "core/parameters/narrowed.h"

namespace isolume::labs::electrostatics {
namespace {

using commands::Arguments;
using workbench::guarded;
using MoleculePointer = std::shared_ptr<const ChargedMolecule>;

class ElectrostaticsLab final : public QObject, public workbench::Lab {
  Q_DECLARE_TR_FUNCTIONS(isolume::labs::electrostatics::ElectrostaticsLab)
 public:
  explicit ElectrostaticsLab(workbench::LabContext& context);

  std::vector<workbench::LabPanel> panels() override {
    return {window_.make_values_panel(tr("Choose a line: electrostatics.line 0 0 0 10 0 0"))};
  }
  void open(const std::filesystem::path& path) override;
  void restore(const nlohmann::json&) override { window_.leave_camera(); }
  std::function<nlohmann::json()> state() const override {
    return [] { return nlohmann::json::object(); };
  }
  parameters::ParameterSet* parameters() override { return molecule_ ? &panel_ : nullptr; }
  void set_parameter(std::string_view key, const parameters::Value& value) override;
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override {
    window_.write_image(path, {width, height, transparent, dpi});
  }
  QString export_filter() const override {
    return tr("Potential as OpenDX (*.dx *.dx.gz)") + ";;" + fields::FieldWindow::export_filter();
  }
  void export_file(const std::filesystem::path& path) override;
  void theme_changed(bool) override { window_.theme_changed(); }

 private:
  /// The field with its molecule.
  class Display final : public fields::FieldDisplay {
   public:
    Display(vtkRenderer& renderer, const ElectrostaticsLab& lab) : lab_(lab), scene_(renderer) {
      take_molecule();
    }
    void take_molecule() {
      if (lab_.molecule_) scene_.set_molecule(*lab_.molecule_);
    }
    scene::FieldScene& field() override { return scene_.field(); }
    void restyle(bool dark) override { scene_.set_view(lab_.view_, dark); }
    std::function<void()> prepare_export(const std::filesystem::path& path) override {
      return scene_.prepare_export(path);
    }

   private:
    const ElectrostaticsLab& lab_;
    MapScene scene_;
  };

  fields::FieldLab field_lab();
  void show(MoleculePointer molecule);
  QString what_is_missing() const;
  void request_picture();
  void change_unit(science::PotentialUnit from);
  void narrow(parameters::Description& description) const { window_.narrow(description); }
  std::string without_molecule() const {
    return molecule_ ? std::string() : workbench::said(QObject::tr("Open a file first."));
  }
  void add_commands();

  workbench::LabContext& context_;
  PictureRequest request_;
  const MoleculePointer& molecule_ = request_.molecule;
  science::PotentialOptions& how_ = request_.how;
  MapLattice& where_ = request_.where;
  MapView& view_ = request_.view;
  parameters::StructParameters<science::PotentialOptions> how_set_{science::potential_schema(), how_};
  parameters::StructParameters<MapLattice> where_set_{map_lattice_schema(), where_};
  parameters::StructParameters<MapView> view_set_{map_view_schema(), view_};
  parameters::CombinedParameters all_{{&how_set_, &view_set_, &where_set_}};
  parameters::NarrowedParameters panel_{
      all_,
      {"", "Surface", "Volume", "Slice", "Molecule", "View", "Lattice", "Computation"},
      [this](auto& each) { narrow(each); }};
  fields::FieldWindow window_;
};

ElectrostaticsLab::ElectrostaticsLab(workbench::LabContext& context)
    : context_(context), window_(context, field_lab()) {
  add_commands();
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
      .moving = nullptr,
      .shown = [this](const scene::FieldPicture& picture) { take(picture); }};
}

void ElectrostaticsLab::open(const std::filesystem::path& path) {
  const std::string name = workbench::said(tr("Open %1"), path.filename().string());
  context_.jobs.submit(name, "electrostatics.open", [this, path](const jobs::Progress& progress) {
    auto molecule = read_molecule(path, progress);
    progress.check();
    context_.on_gui_thread(guarded(this, [this, molecule] { show(molecule); }));
  });
}

void ElectrostaticsLab::show(MoleculePointer molecule) {
  window_.clear();
  request_ = {};
  request_.molecule = std::move(molecule);
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

/// Residues and atoms that have no charge, and residues that lack atoms, a line for each kind.
QString ElectrostaticsLab::what_is_missing() const {
  const auto listed = [](const std::vector<std::string>& names) {
    return QString::fromStdString(fmt::format("{}", fmt::join(names, ", ")));
  };
  QStringList lines;
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

void ElectrostaticsLab::request_picture() {
  window_.show(potential_source(molecule_, how_, where_), fields::Detail::preview_then_refined,
               shape_of(request_));
}

void ElectrostaticsLab::set_parameter(std::string_view key, const parameters::Value& value) {
  if (!molecule_) throw Error(without_molecule());
  window_.follow_mode(key);
  const auto unit = how_.unit;
  panel_.set(key, value);
  if (how_.unit != unit) change_unit(unit);
  if (how_set_.has(key) || where_set_.has(key) || key == "shown" || key == "form" || key == "isovalue" || key == "volume")
    return request_picture();
  window_.restyle();
  window_.keep_in_view();  // a slice may reach beyond the surfaces
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
  const std::string name = path.filename().string();
  if (!name.ends_with(".dx") && !name.ends_with(".dx.gz")) return window_.export_file(path);
  if (!molecule_) throw Error(without_molecule());
  window_.write(path, [path, source = potential_source(molecule_, how_, where_)](const auto& progress) {
    const auto made = source->compute(source->lattice(), progress.part(0, 0.8));
    science::write_opendx(*made.field, path, progress.part(0.8, 1));
  });
}

void ElectrostaticsLab::add_commands() {
  auto& registry = context_.commands;
  registry.declare(declared_commands());
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
  const QString files = QObject::tr(
      "Charges and structures (*.pqr *.pqr.gz *.pdb *.pdb.gz *.ent *.ent.gz *.cif *.cif.gz *.mmcif "
      "*.mmcif.gz)");
  return {
      .name = "electrostatics",
      .title = QObject::tr("Electrostatics"),
      .summary = QObject::tr("Potentials of molecules in water and salt, on their surfaces and in space."),
      .file_filter = files,
      .samples = {{QObject::tr("Fasciculin"), QObject::tr("Toxin of 61 residues, charge +4 e"),
                   "samples/fasciculin.pqr.gz"}},
      .opens = [files](const std::filesystem::path& path) { return workbench::matches_filter(path, files); },
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
            return parameters::CombinedParameters({&how_set, &view_set, &where_set}).descriptions();
          }};
}

}  // namespace isolume::labs::electrostatics
