#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QPointer>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <vtkSmartPointer.h>

#include "app/fields/field_playback.h"
#include "app/fields/field_window.h"
#include "app/fields/lab_of_field.h"
#include "app/fields/measured_atoms.h"
#include "app/labs/orbitals/level_diagram.h"
#include "app/labs/orbitals/molecule_info.h"
#include "app/labs/orbitals/orbital_scene.h"
#include "app/labs/orbitals/orbital_table.h"
#include "app/labs/orbitals/panel_parameters.h"
#include "app/labs/orbitals/picture_request.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/lab.h"
#include "core/molecules/document.h"
#include "core/orbitals/parameters.h"
#include "core/parameters/narrowed.h"

namespace isolume::labs::orbitals {

namespace science = isolume::orbitals;
using commands::Arguments;
using workbench::guarded;

/// The lab, in several files: commands.cpp what a person can do, lab_picture.cpp what is shown and how it
/// moves, lab_choices.cpp which orbital, frame and atoms, lab_files.cpp what is written, orbitals_lab.cpp the rest.
class OrbitalsLab final : public QObject, public fields::LabOfField {
  Q_DECLARE_TR_FUNCTIONS(isolume::labs::orbitals::OrbitalsLab)
 public:
  explicit OrbitalsLab(workbench::LabContext& context);

  std::vector<workbench::LabPanel> panels() override;
  void open(const std::filesystem::path& path) override;
  std::function<nlohmann::json()> state() const override;
  void restore(const nlohmann::json& state) override;
  parameters::ParameterSet* parameters() override;
  void set_parameter(std::string_view key, const parameters::Value& value) override;
  std::unique_ptr<QUndoCommand> reset_kept() override;
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override;
  QString export_filter() const override;
  void export_file(const std::filesystem::path& path) override;
  void devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) override;

 protected:
  fields::FieldWindow& field_window() override { return window_; }
  const fields::FieldPlayback& field_playback() const override { return playback_; }

 private:
  const molecules::Wavefunction* wavefunction() const {
    return document_ ? document_->wavefunction.get() : nullptr;
  }
  const molecules::OrbitalSet& orbital_set() const;
  const molecules::Molecule& molecule() const;
  int frame_count() const;

  void narrow(parameters::Description& description) const;
  std::string shown_unit() const;  ///< of the field that was asked for
  bool of_density() const;         ///< a surface of that field encloses a fraction of a density
  std::string isovalue_kind() const;
  void follow_kind(const std::string& before);
  void leave_enclosed();

  void show_document(DocumentPointer document, const science::FieldParameters& parameters);
  void show_verdict() const;
  void show_orbital_lists();
  void follow_orbital();
  std::vector<int> superposed_orbitals() const;
  class Display;
  fields::FieldLab field_lab();
  PictureRequest wanted() const { return {document_, field_, view_, file_field_, potential_}; }
  void request_picture(fields::Detail detail = fields::Detail::preview_then_refined);
  void follow_picture();
  void fit_camera();
  void update_after(bool field_changed, bool set_changed);
  void set_parameters(const QString& what, std::vector<std::pair<std::string, std::string>> values);
  void keep_potential();
  void change_potential_unit(isolume::electrostatics::PotentialUnit from);
  void run(const std::string& command, const std::vector<std::string>& arguments);

  int chosen_orbital() const;
  std::vector<std::string> orbital_arguments(int orbital) const;
  void select_orbital(const std::string& text, molecules::Spin spin);
  void step_orbital(int step);
  void choose_frame(int frame);
  void choose_file_field(int field);
  void click(double x, double y);
  fields::MeasuredAtoms::Lab measuring();
  void follow_line();
  bool eventFilter(QObject* watched, QEvent* event) override;
  fields::FieldPlayback::Declaration playing();
  void follow_superposition();
  void show_time(double femtoseconds, fields::Detail detail);
  vtkSmartPointer<vtkImageData> draw_for_job(const scene::FieldPicture& picture,
                                             const DocumentPointer& document,
                                             const scene::ImageOptions& options,
                                             const jobs::Progress& progress);
  void record(const std::filesystem::path& folder, int frames, const scene::ImageOptions& options);
  void export_cube(const std::filesystem::path& path);

  void add_orbital_commands();
  void add_field_commands();
  void add_view_commands();
  void add_frame_commands();
  std::vector<workbench::Offer> orbital_offers() const;
  void add_record_command();
  std::string without_orbitals() const;  ///< why commands on orbitals cannot run now; empty when they can
  std::string without_field() const;
  std::string without_density() const;  ///< why a surface cannot enclose a fraction of the density
  std::string without_time() const;     ///< why there is nothing to play

  workbench::LabContext& context_;
  EnginesPointer engines_;
  SurfacePotential::Engines potential_engines_;   ///< null until devices are known
  std::shared_ptr<gpu::SurfaceEngine> surfaces_;  ///< null: on the CPU
  QPointer<OrbitalTable> table_;
  QPointer<LevelDiagram> diagram_;
  QPointer<MoleculeInfo> info_;

  DocumentPointer document_;
  std::shared_ptr<const SurfacePotential> potential_;  ///< null where the document has no wavefunction
  science::FieldParameters field_;
  ViewParameters view_;
  parameters::StructParameters<science::FieldParameters> field_set_{science::field_schema(), field_};
  parameters::StructParameters<ViewParameters> view_set_{view_schema(), view_};
  parameters::CombinedParameters all_parameters_{{&field_set_, &view_set_}};
  parameters::NarrowedParameters wavefunction_panel_{all_parameters_, panel_groups(),
                                                     [this](auto& each) { narrow(each); }};
  parameters::NarrowedParameters view_panel_{view_set_, panel_groups(), [this](auto& each) { narrow(each); }};
  /// Where the surface of a field lies; computed values are included.
  struct Isosurface {
    IsovalueMode mode;
    double isovalue, enclosed;
  };
  std::map<std::string, Isosurface> isosurfaces_;  ///< by isovalue_kind(), of kinds that were shown before
  std::size_t file_field_ = 0;
  int frame_ = 0;
  fields::MeasuredAtoms measured_{context_, measuring()};
  bool setting_several_ = false;  ///< parameters change together; the picture is asked for once, afterwards
  fields::FieldWindow window_;
  fields::FieldPlayback playback_{context_, window_, playing()};
  OrbitalScene& scene_;
};

inline std::string spin_text(molecules::Spin spin) {
  return spin == molecules::Spin::alpha ? "alpha" : "beta";
}

/// Whether the field changes with time.
inline bool animated(science::FieldKind kind) {
  return kind == science::FieldKind::superposition || kind == science::FieldKind::superposition_density;
}

}  // namespace isolume::labs::orbitals
