#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QPointer>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/fields/field_playback.h"
#include "app/fields/field_window.h"
#include "app/fields/lab_of_field.h"
#include "app/fields/measured_atoms.h"
#include "app/labs/electrostatics/derived_values.h"
#include "app/labs/electrostatics/panels/atom_table.h"
#include "app/labs/electrostatics/panels/ligand_dialog.h"
#include "app/labs/electrostatics/panels/residue_table.h"
#include "app/labs/electrostatics/panels/row_table.h"
#include "app/labs/electrostatics/panels/surface_patch_list.h"
#include "app/labs/electrostatics/picture/map_scene.h"
#include "app/labs/electrostatics/picture/picture_request.h"
#include "app/labs/electrostatics/picture/potentials_at_atoms.h"
#include "app/labs/electrostatics/picture/selected_atoms.h"
#include "app/labs/electrostatics/picture/structure_settings.h"
#include "app/workbench/contract/engines.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/electrostatics/quantum/quantum_engine.h"
#include "core/electrostatics/sums/pair_engine.h"
#include "core/parameters/narrowed.h"
#include "core/structures/charged_file.h"

namespace isolume::labs::electrostatics {

class ElectrostaticsLab final : public QObject, public fields::LabOfField {
  Q_DECLARE_TR_FUNCTIONS(isolume::labs::electrostatics::ElectrostaticsLab)
 public:
  explicit ElectrostaticsLab(workbench::LabContext& context);

  std::vector<workbench::LabPanel> panels() override;
  void open(const std::filesystem::path& path) override {
    open(path, {}, [](auto&) { return StructureSettings(); });
  }
  void open_again(const std::filesystem::path& path, const nlohmann::json& state) override;
  void restore(const nlohmann::json& state) override {
    window_.leave_camera();
    measured_.restore(state.value("measured_atoms", std::vector<int>{}));
    if (!map_problem_.isEmpty()) throw Error(map_problem_.toStdString());
  }
  std::function<nlohmann::json()> state() const override {
    return [trajectory = trajectory(), map = map_path(), settings = made_with_, measured = measured_.atoms(),
            path = molecule_ ? molecule_->path : std::filesystem::path()] {
      auto state = state_of(settings, path);
      if (!measured.empty()) state["measured_atoms"] = measured;
      if (!trajectory.empty()) state["trajectory"] = trajectory.string();
      if (!map.empty()) state["map"] = map.string();
      return state;
    };
  }
  void panels_seen() override;
  std::vector<std::string> goes_with(std::string_view key, const parameters::Value& value) const override;
  parameters::ParameterSet* parameters() override { return molecule_ ? &panel_ : nullptr; }
  void set_parameter(std::string_view key, const parameters::Value& value) override;
  QString export_filter() const override {
    return tr("Potential as OpenDX (*.dx *.dx.gz)") + ";;" +
           tr("Potential as CCP4 (*.ccp4 *.ccp4.gz *.mrc *.mrc.gz *.map *.map.gz)") + ";;" +
           tr("Potential for VTK (*.vti)") + ";;" + tr("Potential as NRRD (*.nrrd)") + ";;" +
           tr("Potential as cube (*.cube)") + ";;" + tr("Vertices of the surface (*.csv)") + ";;" +
           fields::FieldWindow::export_filter();
  }
  void export_file(const std::filesystem::path& path) override;
  void devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) override;

 protected:
  fields::FieldWindow& field_window() override { return window_; }
  const fields::FieldPlayback& field_playback() const override { return playback_; }

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
      scene_.set_field_lines(lab_.field_lines_.value());
      scene_.set_residue_potentials(lab_.residue_potentials_.value());
      scene_.set_ions(lab_.ions_.value());
      scene_.set_selection(lab_.selected_);
      scene_.set_measured(lab_.measured_.atoms(), lab_.measured_text());
      scene_.set_selection_outline(lab_.outline_lines());
      scene_.set_outline(lab_.patch_border_);
      auto cut = lab_.cut_surface();
      if (cut == cut_) return;
      cut_ = std::move(cut);
      if (cut_) {
        scene_.field().set_lobes(*cut_);
      } else if (const auto& picture = lab_.window_.picture()) {
        scene_.field().set_lobes(picture->lobes);
      }
    }
    std::optional<SeenAtom> atom_at(double x, double y) const { return scene_.atom_at(x, y); }
    std::string reading_at(double x, double y) override { return lab_.reading_at(scene_, x, y); }
    std::function<void()> prepare_export(const std::filesystem::path& path) override {
      return scene_.prepare_export(path);
    }

   private:
    const ElectrostaticsLab& lab_;
    MapScene scene_;
    std::shared_ptr<const scene::Lobes> cut_;  ///< that is drawn
  };

  std::optional<MapInputs> inputs_of_map(std::string key) const;
  SelectionNode::Declaration selection_node();
  IonsNode::Declaration ions_node();
  ResidueValuesNode::Declaration residue_values_node();
  AtomsNode::Declaration atoms_node();
  SurfaceSamplesNode::Declaration surface_samples_node();
  PatchesNode::Declaration patches_node();
  FieldLinesNode::Declaration field_lines_node();
  ResiduePotentialsNode::Declaration residue_potentials_node();
  SelectionOutlineNode::Declaration selection_outline_node();
  EnergyNode::Declaration energy_node();
  DifferenceNode::Declaration difference_node();
  MapComparisonNode::Declaration map_comparison_node();
  std::optional<PictureInputs> inputs_of_picture() const;
  fields::FieldLab field_lab();
  /// Asked for by the job; `notes` gets what a person should know of them.
  using FindSettings = std::function<StructureSettings(std::vector<std::string>& notes)>;
  void open(const std::filesystem::path& path, const std::filesystem::path& trajectory,
            const FindSettings& find_settings);
  void open_trajectory(const std::filesystem::path& path);
  void open_map(const std::filesystem::path& path);
  void show_map(std::shared_ptr<const OtherMap> map);
  void set_map(std::shared_ptr<const OtherMap> map);
  void after_map(const nlohmann::json& state, const std::filesystem::path& file,
                 std::function<void()> open_file);
  void take_restored_map();
  QString told(const science::MapComparison& found, const std::optional<SurfaceReading>& surface,
               const scene::FieldPicture& picture) const;
  void export_surface_table(const std::filesystem::path& path);
  std::filesystem::path map_path() const {
    return request_.other ? request_.other->path : std::filesystem::path();
  }
  void show(OpenedMolecule opened);
  void prepare_again(const StructureSettings& settings);
  void refuse(structures::StructureChoices choices);
  void take_prepared(OpenedMolecule opened);
  fields::FieldPlayback::Declaration playing();
  std::string without_frames() const;
  void follow_frames();
  void forget_values();
  void tell_what_is_missing();
  void tell_molecule();
  QString charges_from() const;
  const std::optional<structures::Preparation>& preparation() const;
  void show_decisions();
  void choose_decision(int row);
  std::string without_decisions() const;
  void export_decisions(const std::filesystem::path& path);
  std::string without_charges() const;
  void export_charges(const std::filesystem::path& path);
  void use_files(const QString& what, const StructureSettings& settings);
  void use_charge_table(const std::filesystem::path& path);
  void zoom_to_selection();
  fields::MeasuredAtoms::Lab measuring();
  void tell_measured();
  std::string measured_text() const;
  void protonate(const std::string& state);
  std::vector<AskedLigand> asked_ligands() const;
  void ask_for_ligands();
  void set_ligands(const std::vector<std::string>& entries);
  void offer_ligands();
  void use_topology(const std::filesystem::path& path);
  void narrow_structure(parameters::Description& description) const;
  std::string without_gro() const;
  void show_patches();
  void show_patch();
  void export_patches(const std::filesystem::path& path);
  void require_potential() const;
  void show_frames(OpenedMolecule opened);
  void follow_frame(const scene::FieldPicture& picture);
  std::filesystem::path trajectory() const {
    return request_.frames ? request_.frames->trajectory() : std::filesystem::path();
  }
  bool is_potential() const {
    const bool compared = where_.compare == science::Compared::map
                              ? is_beside_map(request_)
                              : where_.compare != science::Compared::nothing;
    return !compared && !request_.moment.average && !molecule_->wavefunction;
  }
  QString what_is_missing() const;
  double first_spacing() const;
  void request_picture(fields::Detail detail = fields::Detail::preview_then_refined);
  void update();
  void change_unit(science::PotentialUnit from);
  void take(const scene::FieldPicture& picture);
  bool eventFilter(QObject* watched, QEvent* event) override;
  bool is_refined() const { return window_.picture() && window_.picture()->refined; }
  std::string why_no_ions() const;
  bool wants_patches() const;
  std::shared_ptr<gpu::SurfaceEngine> surface_engine() const {
    return how_.engine == "cpu" ? nullptr : surfaces_;
  }
  QString told(const PlacedIons& ions) const;
  std::string without_ions() const;
  void export_ions(const std::filesystem::path& path, bool with_molecule);
  void take_selection(std::shared_ptr<const SelectedAtoms> selected);
  void tell_selection();
  bool outlines() const { return selected_ && view_.shown == Shown::surface; }
  std::shared_ptr<const scene::LineSet> outline_lines() const;
  std::shared_ptr<const scene::Lobes> cut_surface() const;
  void select(const std::string& expression);
  void select_residue(const std::string& name);
  nlohmann::json selection() const;
  std::string reading_at(MapScene& scene, double x, double y) const;
  void click(double x, double y);
  void pick(std::size_t atom, Picked what);
  void run(const std::string& command, const std::vector<std::string>& arguments);
  const scene::FieldPicture& refined_picture() const;
  std::optional<SolvedEnergy> solved_energy() const;
  void show_energy();
  void cancel_numbers();
  static QString text_of(const SolvedEnergy& energy);
  void energy();
  void difference();
  std::string without_energy() const;
  std::string without_difference() const;
  void follow_line();
  void export_residues(const std::filesystem::path& path);
  void export_field_lines(const std::filesystem::path& path);
  void export_atoms(const std::filesystem::path& path);
  void narrow(parameters::Description& description) const;
  void narrow_by_method(parameters::Description& description) const;
  std::string without_residues() const;
  std::string without_structure() const;
  std::string without_molecule() const {
    return molecule_ ? std::string() : workbench::said(QObject::tr("Open a file first."));
  }
  void add_commands();

  using Engines = std::shared_ptr<const science::EngineRegistry>;

  /// Held by whatever is computed after the picture, in any document: each solves an equation as large as the map's.
  inline static std::timed_mutex background_;
  workbench::LabContext& context_;
  Engines engines_ = workbench::one_engine(science::make_cpu_engine());
  std::shared_ptr<const science::QuantumEngineRegistry> quantum_engines_;  ///< null until devices are known
  std::shared_ptr<gpu::SurfaceEngine> surfaces_;                           ///< null: on the CPU
  PictureRequest request_;
  const std::shared_ptr<const ChargedMolecule>& molecule_ = request_.molecule;
  science::PotentialOptions& how_ = request_.how;
  MapGrid& where_ = request_.where;
  MapView& view_ = request_.view;
  parameters::StructParameters<science::PotentialOptions> how_set_{science::potential_schema(), how_};
  parameters::StructParameters<MapGrid> where_set_{map_grid_schema(), where_};
  parameters::StructParameters<MapView> view_set_{map_view_schema(), view_};
  parameters::StructParameters<OtherMapChoices> other_set_{other_map_schema(), request_.other_choices};
  parameters::StructParameters<WavefunctionChoices> quantum_set_{wavefunction_schema(), request_.quantum};
  parameters::StructParameters<FrameChoices> frame_set_{frame_schema(), request_.moment};
  PickChoices pick_;
  parameters::StructParameters<PickChoices> pick_set_{pick_schema(), pick_};
  PatchChoices patch_choices_;
  parameters::StructParameters<PatchChoices> patch_set_{patch_schema(), patch_choices_};
  StructureSettings structure_;  ///< as people have chosen it
  StructureSettings made_with_;  ///< what the molecule was made with, until a job has made another one of it
  parameters::StructParameters<structures::StructureChoices> structure_set_{structures::structure_schema(),
                                                                            structure_.choices};
  std::shared_ptr<const ChargedMolecule> decided_;  ///< whose decisions are listed
  std::vector<std::string> notes_;     ///< what a session could not find of the files beside the molecule's
  std::filesystem::path refused_gro_;  ///< that lacks its topology
  parameters::CombinedParameters all_{{&quantum_set_, &frame_set_, &structure_set_, &how_set_, &view_set_,
                                       &pick_set_, &patch_set_, &where_set_, &other_set_}};
  std::map<std::string, parameters::Value, std::less<>> first_values_;  ///< when the molecule was opened
  parameters::NarrowedParameters panel_{
      all_,
      {"Wavefunction", "Frames", "Structure", "Method", "Surface", "Volume", "Slice", "Field lines",
       "Molecule", "Selection", "Patches", "Ions", "View", "Grid", "Computation"},
      [this](auto& each) { narrow(each); }};
  QPointer<ResidueTable> table_;
  QPointer<RowTable> atom_table_, patch_table_, decision_table_;
  std::shared_ptr<PotentialsAtAtoms> at_atoms_ = std::make_shared<PotentialsAtAtoms>();
  std::shared_ptr<const scene::LineSet> patch_border_;  ///< of the one that is outlined
  std::shared_ptr<const SelectedAtoms> selected_;       ///< of the last expression that was evaluated
  bool selection_is_told_ =
      false;  ///< in the status bar, when it is there: a person or a script has asked for it
  fields::MeasuredAtoms measured_{context_, measuring()};
  QString clicked_;             ///< what was read where the selection was clicked, for that line
  QString clicking_;            ///< the same of a click that is being taken
  std::uint64_t pictures_ = 0;  ///< that have been shown
  /// Of a session, for the file that is being opened again.
  struct RestoredMap {
    std::filesystem::path file;
    std::shared_ptr<const OtherMap> map;
    QString problem;  ///< why there is none
  };
  RestoredMap restored_map_;
  QString map_problem_;
  std::string why_no_ions_;  ///< in the banner

  // What follows from the picture and the parameters. A node is updated after those that it
  // reads; the window, which comes after them, shows them from the start.
  graph::Graph graph_{context_.jobs, context_.on_gui_thread};
  SelectionNode selection_{graph_, selection_node()};
  IonsNode ions_{graph_, ions_node()};
  ResidueValuesNode residue_values_{graph_, residue_values_node()};
  AtomsNode atoms_{graph_, atoms_node()};
  SurfaceSamplesNode surface_samples_{graph_, surface_samples_node()};
  PatchesNode patches_{graph_, patches_node()};
  FieldLinesNode field_lines_{graph_, field_lines_node()};
  ResiduePotentialsNode residue_potentials_{graph_, residue_potentials_node()};
  SelectionOutlineNode selection_outline_{graph_, selection_outline_node()};
  EnergyNode energy_{graph_, energy_node()};
  DifferenceNode difference_{graph_, difference_node()};
  MapComparisonNode map_comparison_{graph_, map_comparison_node()};

  fields::FieldWindow window_;
  fields::FieldPlayback playback_{context_, window_, playing()};
};

/// Instead of a residue or an expression: lets go of what is chosen.
inline constexpr const char* no_residue = "none";

}  // namespace isolume::labs::electrostatics
