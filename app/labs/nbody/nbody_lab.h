#pragma once

#include <QObject>
#include <QPointer>
#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <vtkSmartPointer.h>

#include "app/labs/nbody/beginning.h"
#include "app/labs/nbody/bodies_drawer.h"
#include "app/labs/nbody/bodies_picture.h"
#include "app/labs/nbody/body_adder.h"
#include "app/labs/nbody/body_panel.h"
#include "app/labs/nbody/branch.h"
#include "app/labs/nbody/branch_panel.h"
#include "app/labs/nbody/diagnostics_panel.h"
#include "app/labs/nbody/force_probe.h"
#include "app/labs/nbody/read_out.h"
#include "app/workbench/contract/engines.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/playback/playback.h"
#include "app/workbench/playback/playback_page.h"
#include "core/jobs/activity.h"
#include "core/nbody/bodies/added_bodies.h"
#include "core/nbody/engines/engine.h"
#include "core/nbody/files/bodies_file.h"
#include "core/nbody/scenes/scenes.h"
#include "core/parameters/narrowed.h"
#include "core/simulation/runner.h"
#include "gpu/interop/points_engine.h"

class QSplitter;
class vtkImageData;

namespace isolume::labs::nbody {

namespace science = isolume::nbody;

inline constexpr double steps_per_second = 30;  ///< at speed 1, where they can be computed so fast
inline constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::min();  ///< in the place of a step

nlohmann::json to_json(const BranchPlan& plan);
/// Throws Error, nlohmann::json::exception.
BranchPlan branch_plan_of_session(const nlohmann::json& json);

/// Why nothing can be done yet.
std::string not_there_yet();

/// A simulation that runs in a window.
class NBodyLab final : public QObject, public workbench::Lab {
 public:
  explicit NBodyLab(workbench::LabContext& context);

  QWidget* page() override;
  std::vector<workbench::LabPanel> panels() override;
  void start() override;
  void open(const std::filesystem::path& path) override { open_at(path, std::nullopt); }
  void open_again(const std::filesystem::path& path, const nlohmann::json& state) override;
  std::function<nlohmann::json()> state() const override;
  void restore(const nlohmann::json& state) override;
  parameters::ParameterSet* parameters() override { return file_ ? &shown_of_file_ : &shown_of_scene_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override;
  std::vector<std::string> goes_with(std::string_view key, const parameters::Value& value) const override;
  /// All others change the bodies or how they move: their record begins anew with each value.
  bool can_sweep(std::string_view key) const override { return look_set_.has(key); }
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override;
  QString export_filter() const override {
    return QObject::tr(
        "Bodies (*.csv);;Bodies for other programs (*.xyz *.tipsy *.hdf5);;All steps, a trajectory "
        "(*.h5);;Diagnostics (*.diagnostics.csv);;Plotted curves "
        "(*.diagnostics.svg *.diagnostics.pdf);;Plotted curves as a table (*.plot.csv)");
  }
  void export_file(const std::filesystem::path& path) override;
  /// What an error keeps from being shown is not under way.
  bool busy() const override { return runner_ && !all_shown() && trouble_.empty() && !undrawn_; }
  bool moving() const override { return playback_.playing(); }
  void stop_moving() override { playback_.pause(); }
  std::optional<workbench::Passage> passage() override {
    return runner_ ? std::optional(playback_.passage()) : std::nullopt;
  }
  void shown_changed(bool shown) override {
    if (!shown) playback_.pause();
  }
  void panels_seen() override;
  void devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) override;

 private:
  using Engines = std::shared_ptr<const science::EngineRegistry>;
  using Start = std::shared_ptr<const science::InitialConditions>;
  /// The run of another scene, for undo and redo.
  struct FormerRun {
    std::string scene;  ///< science::flags_of
    std::shared_ptr<simulation::Runner> runner;
    Start start;
    Engines engines;
    std::int64_t shown;
    std::size_t bytes;
  };

  void add_commands();
  void measure_crossover(const science::CrossoverOptions& options);
  void forget_choices();
  void open_at(const std::filesystem::path& path, std::optional<std::size_t> moment);
  void read_again();
  QString for_window(const std::string& remarks) const;
  void take_read(const ReadBodies& read, std::optional<std::size_t> moment);
  void make_bodies();
  void take(Begun begun, const std::optional<simulation::Course>& course, const Engines& engines);
  void show_run(std::int64_t first);
  bool is_still_there() const;
  void keep_run();
  void set_run_aside();
  void take_former(std::vector<FormerRun>::iterator which);
  void forget_former(std::vector<FormerRun>::iterator which);
  void narrow(parameters::Description& description, const science::RunOptions& run) const;
  bool in_a_box() const;  ///< or to be, once they are made
  science::ChosenOptions chosen() const;
  void set_chosen(simulation::Simulation& simulation);
  void want(double step);
  void follow();
  void follow_parameters();
  void draw(jobs::Activity::Pointer awaited_by = nullptr);
  void draw_again();
  void take_drawing(const DrawingRequest& request, const BodiesDrawing& drawing);
  void show(const BodiesDrawing& drawing);
  void tell();
  void keep_moment();
  void warn_of_errors(const science::NBodyFrame& frame);
  void rewind();
  std::string without_bodies() const;
  void add_picture_commands();
  void click(const BodiesPicture& picture, double x, double y);
  void pick(std::int64_t id);
  std::vector<std::shared_ptr<const science::NBodyFrame>> history(const science::NBodyFrame& before) const;
  std::string cannot_add() const;
  std::string cannot_change() const;
  std::int64_t step_of_change() const;
  std::vector<science::AddedBody> added_so_far() const;
  double gravitation() const;
  void change_chosen(const QString& what, science::AddedBody change);
  BodyPanel* make_body_panel();
  void add_body(const Eigen::Vector3d& place, const Eigen::Vector3d& velocity, double mass);
  void set_added(const std::string& text);
  void take_added(const std::vector<science::AddedFrom>& way, bool joins);
  std::optional<AddingPlane> adding_plane() const;
  void end_adding();
  void add_adding_commands();
  void add_reading_commands();
  std::optional<nlohmann::json> reading() const;
  void read_body();
  void read_place(const Eigen::Vector3d& place);
  void probe_forces();
  void show_read_outs();
  void take_parameters_of_runner();
  void write_steps_of_added();
  simulation::RunnerOptions runner_options() const;
  void observe_runner();
  bool all_shown() const { return shown_ == wanted_ && (!branch_ || branch_->settled()); }

  bool recorded() const {
    return read_.trajectory && !from_moment_;
  }  ///< what is shown was, and is not computed
  void add_recording_commands();
  std::int64_t step_to_show(double time);
  QString told_step(std::int64_t step) const;
  void forget_earlier_forces();
  bool is_of_before(const science::NBodyFrame& frame) const;
  void require_branch_stays(std::int64_t back_to) const;
  void keep_view();
  void go_on_from_recorded();
  void show_recording();
  void compute_diagnostics();
  void record(const std::filesystem::path& path, std::int64_t every, std::optional<std::int64_t> last);
  std::string made_by() const;
  std::function<nlohmann::json()> course_for_session() const;

  void add_branch_commands();
  BranchPanel* make_branch_panel();
  void require_possible(const BranchPlan& plan, const science::RunOptions& options) const;
  void change_branch(const QString& what, std::optional<BranchPlan> plan);
  void put_branch(const std::optional<BranchPlan>& plan);
  BranchPlan lasting_plan() const;
  void begin_branch(const BranchPlan& plan);
  void take_branch(Branch::Start start);
  void accompany();
  void show_captions();
  void show_branch_panel();
  void close_branch();
  void keep_branch();
  vtkSmartPointer<vtkImageData> picture_of_both(int width, int height, int dpi);
  void forget(Branch::Parts parts);
  void end_in_job(std::shared_ptr<void> what);

  workbench::LabContext& context_;
  science::SceneOptions scene_;
  science::RunOptions run_;
  science::FileOptions file_options_;
  NBodyLook look_;
  WindowLook window_look_;
  parameters::StructParameters<science::SceneOptions> scene_set_{science::scene_schema(), scene_};
  parameters::StructParameters<science::RunOptions> run_set_{science::run_schema(), run_};
  parameters::StructParameters<science::FileOptions> file_set_{science::file_schema(), file_options_};
  parameters::StructParameters<NBodyLook> look_set_{nbody_look_schema(), look_};
  parameters::StructParameters<WindowLook> window_set_{window_look_schema(), window_look_};
  parameters::CombinedParameters of_scene_{{&scene_set_, &run_set_, &look_set_, &window_set_}};
  parameters::CombinedParameters of_file_{{&file_set_, &run_set_, &look_set_, &window_set_}};
  parameters::NarrowedParameters shown_of_scene_{of_scene_, {}, [this](auto& each) { narrow(each, run_); }};
  parameters::NarrowedParameters shown_of_file_{of_file_, {}, [this](auto& each) { narrow(each, run_); }};
  Engines found_ =
      workbench::one_engine(science::make_cpu_engine());  ///< of the machine, as far as they are known
  Engines engines_ = found_;                              ///< of the bodies that are shown
  /// Time step and softening are those that a person has set, not those that suit the bodies.
  bool step_chosen_ = false, softening_chosen_ = false;
  bool steps_chosen_ = false;   ///< the same of ChosenOptions::steps
  bool preparing_ = false;      ///< a job makes the bodies
  std::uint64_t prepared_ = 0;  ///< such jobs, counted: the last one's bodies are wanted

  std::optional<std::filesystem::path> file_;  ///< nothing: a scene
  ReadBodies read_;                            ///< of the file
  std::optional<std::size_t> from_moment_;     ///< of a trajectory, from which it is computed on
  std::int64_t first_step_ = 0;                ///< as which that moment counts
  Start start_;
  std::shared_ptr<simulation::Runner> runner_;        ///< shared with jobs that read it
  std::uint64_t parameters_epoch_ = 0;                ///< of the runner, when its parameters were read last
  std::string scene_of_run_;                          ///< science::flags_of
  std::vector<FormerRun> former_;                     ///< in the order in which they were left
  std::shared_ptr<const science::NBodyFrame> frame_;  ///< that is shown, or being drawn
  std::uint64_t system_ = 0;                          ///< counts: drawings of an earlier one come too late
  bool first_shown_ = false;                          ///< of this system
  std::optional<Extent> extent_;                      ///< a session's
  std::int64_t wanted_ = 0, taken_ = -1;              ///< steps; `taken_`: of which the panel knows
  std::int64_t shown_ = nothing;
  std::optional<std::int64_t> first_wanted_;        ///< of the next simulation: a session's
  std::optional<simulation::Course> first_course_;  ///< the same
  simulation::ParameterValues set_meanwhile_;       ///< before a session's bodies were there
  bool on_course_ = false;                          ///< of a session
  bool camera_kept_ = false;                        ///< the session's, when its first frame comes
  jobs::Activity::Pointer awaited_by_;              ///< the command that ends when what is wanted is shown
  std::string trouble_;
  std::string errors_warning_;                              ///< that is shown
  Remarks energy_remarks_;                                  ///< of this run, in that warning
  std::chrono::steady_clock::time_point moment_kept_ = {};  ///< by the last keep_moment()
  bool undrawn_ = false;                                    ///< there was no memory for the last drawing
  std::shared_ptr<const gpu::PointsEngine> from_device_;    ///< null: bodies are drawn from the host's memory
  ReadOut read_out_, branch_read_out_;
  ForceProbe force_probe_{context_};
  std::unique_ptr<BodyAdder> adder_;  ///< null: the mouse does not add bodies

  BodiesPicture picture_;
  workbench::Playback playback_;
  QPointer<QSplitter> views_;  ///< the lab's, and the branch's
  QPointer<DiagnosticsPanel> panel_;
  QPointer<BodyPanel> body_panel_;
  QPointer<BranchPanel> branch_panel_;
  std::unique_ptr<Branch> branch_;          ///< null: there is none
  std::optional<BranchPlan> first_branch_;  ///< of the next simulation: a session's
  QString caption_;                         ///< in the lab's view
  int branch_gesture_ = 0, last_branch_gesture_ = 0;
  BodiesDrawer drawings_;  ///< the last member: it calls back
};

}  // namespace isolume::labs::nbody
