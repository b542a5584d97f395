#include "app/labs/nbody/nbody_lab.h"

#include <QSplitter>
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/labs/nbody/description.h"
#include "app/labs/nbody/session_course.h"
#include "app/labs/nbody/session_extent.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/engines.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/playback/playback_commands.h"
#include "core/base/shown_number.h"
#include "core/base/suffix.h"
#include "core/nbody/bodies/added_bodies.h"
#include "core/nbody/engines/best_solver.h"
#include "core/nbody/files/bodies_file.h"
#include "core/nbody/files/recorded_run.h"
#include "gpu/nbody/engines.h"

namespace isolume::labs::nbody {
namespace {

using simulation::Runner;

constexpr double longest_frame_seconds = 0.1;
constexpr std::int64_t first_bodies = 20000;
constexpr std::size_t most_bytes_of_former = std::size_t{256} << 20;  ///< of all runs of other scenes

bool sums_in_a_box(const science::RunOptions& run) {
  return run.solver == science::SolverKind::particle_mesh;
}

/// As the lab begins with, and each file.
science::RunOptions first_run() {
  science::RunOptions run;
  run.opening_angle = 0.8;
  return run;
}

/// That of a parameter: "au", or "units of 10.96 Myr" where the unit that makes G = 1 is a multiple.
std::string unit_of_parameter(const science::ShownUnit& unit) {
  return unit.size == 1 ? unit.name : fmt::format("units of {} {}", shown_reading(unit.size, 4), unit.name);
}

/// See ChosenOptions::steps.
bool is_of_steps(std::string_view key) {
  return key == "integrator" || key == "time-steps" || key == "accuracy" || key == "softening-kind";
}

}  // namespace

science::ChosenOptions NBodyLab::chosen() const {
  return {.dt = step_chosen_, .softening = softening_chosen_, .steps = steps_chosen_};
}

std::string not_there_yet() {
  return workbench::said(QObject::tr("The simulation is still being prepared."));
}

NBodyLab::NBodyLab(workbench::LabContext& context)
    : context_(context),
      picture_(*context.view.renderer()),
      drawings_(
          [this, to_gui = context.on_gui_thread](const auto& request, const auto& drawing) {
            to_gui(workbench::guarded(this, [this, request, drawing] { take_drawing(request, drawing); }));
          },
          [this, to_gui = context.on_gui_thread](const auto& error) {
            to_gui(workbench::guarded(this, [this, error] {
              playback_.pause();
              undrawn_ = true;
              awaited_by_.reset();  // whoever waits has been told
              context_.show_warning(QString::fromStdString(error));
            }));
          },
          [this, to_gui = context.on_gui_thread] {
            to_gui(workbench::guarded(this, [this] { draw_again(); }));
          }) {
  scene_.scene = science::SceneKind::encounter;
  scene_.bodies = first_bodies;
  scene_.separation = 12;
  scene_.mass_ratio = 0.6;
  run_ = first_run();
  playback_.set_at_end(simulation::Clock::AtEnd::stop);
  playback_.let_grow(1);
  playback_.wait_for([this] { return all_shown(); }, longest_frame_seconds);
  connect(&playback_, &workbench::Playback::time_changed, this, &NBodyLab::want);
  connect(&playback_, &workbench::Playback::playing_changed, this, [this] {
    want(playback_.clock().time());
    if (!playback_.playing()) playback_.show_time(static_cast<double>(wanted_));
    probe_forces();
    context_.availability_changed();
  });
  add_commands();
  add_picture_commands();
  add_adding_commands();
  add_reading_commands();
  add_branch_commands();
  add_recording_commands();
  picture_.set_on_lost(
      [this, to_gui = context.on_gui_thread] { to_gui(workbench::guarded(this, [this] { draw_again(); })); });
  context.view.keep_resolution_of_drafts();
  connect(&context.view, &scene::ViewWidget::clicked, this,
          [this](double x, double y) { click(picture_, x, y); });
}

void NBodyLab::add_commands() {
  auto& commands = context_.commands;
  const auto unavailable = [this] { return without_bodies(); };
  commands.bind(
      "nbody.play",
      [this](const auto&) {
        const bool at_end = recorded() && wanted_ == runner_->recorded().last;
        if (at_end && !playback_.clock().reversed()) playback_.scrub(0);
        playback_.play();
      },
      unavailable,
      {.shortcut = "Space", .checked = [this] { return playback_.playing(); }, .unticked_by = "nbody.stop"});
  commands.bind("nbody.stop", [this](const auto&) { playback_.pause(); });
  commands.bind("nbody.scene", [this](const commands::Arguments& arguments) {
    if (file_)
      throw Error(
          workbench::said(QObject::tr("This document shows a file. Open a new document to choose a scene.")));
    std::vector<std::pair<std::string, std::string>> values{{"scene", arguments.text("scene")}};
    for (const char* key : {"bodies", "seed"}) {
      if (arguments.has(key)) values.emplace_back(key, fmt::format("{}", arguments.integer(key)));
    }
    context_.set_parameters(QObject::tr("Choose scene"), values);
    playback_.set_reversed(false);
  });
  commands.bind("nbody.restart", [this](const auto&) {
    first_course_.reset();
    make_bodies();
  });
  commands.bind(
      "nbody.rewind", [this](const auto&) { rewind(); }, unavailable);
  commands.bind("nbody.plot", [this](const commands::Arguments& arguments) {
    if (panel_) panel_->choose(arguments.text("what"));
  });
  commands.bind("nbody.crossover", [this](const commands::Arguments& arguments) {
    measure_crossover({.error = arguments.number("error"),
                       .most_bodies = static_cast<std::size_t>(arguments.integer("bodies")),
                       .engine = run_.engine,
                       .devices = run_.devices});
  });
  workbench::add_playback_commands(commands, "nbody", playback_, unavailable);
}

/// Time rests meanwhile, as what runs beside it would be measured, too.
void NBodyLab::measure_crossover(const science::CrossoverOptions& options) {
  playback_.pause();
  if (panel_) panel_->choose("crossover");
  context_.jobs.submit(
      workbench::said(QObject::tr("Measure the solvers")), "nbody.crossover",
      [this, options, engines = found_, to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
        const auto found = science::measure_crossover(options, *engines, progress);
        commands::report(science::to_json(found));
        to_gui(workbench::guarded(this, [this, found] {
          if (panel_) panel_->set_crossover(found);
        }));
      });
}

/// Bodies keep the engines that they were made with, as steps that are computed again must come out the same. Those
/// that nobody has moved yet are made again where there are GPUs.
void NBodyLab::devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) {
  from_device_ = gpu::make_points_engine(devices);
  workbench::prepare_engines(
      context_, "nbody", this,
      [devices] { return std::make_shared<const science::EngineRegistry>(gpu::make_nbody_engines(devices)); },
      [this](const Engines& engines) {
        found_ = engines;
        const bool unmoved = taken_ <= first_step_ && wanted_ == first_step_ && !on_course_;
        const bool can_begin_again = (unmoved || recorded()) && !branch_ && !first_branch_;
        if (engines->engines().size() <= 1 || !(runner_ || preparing_) || !can_begin_again) return;
        if (recorded() && runner_ && !preparing_) first_wanted_ = wanted_;
        make_bodies();
      });
}

QWidget* NBodyLab::page() {
  views_ = new QSplitter(Qt::Horizontal);
  views_->setChildrenCollapsible(false);
  views_->addWidget(&context_.view);
  return workbench::make_playback_page(context_, playback_, "nbody", views_).page;
}

std::vector<workbench::LabPanel> NBodyLab::panels() {
  panel_ = new DiagnosticsPanel;
  body_panel_ = make_body_panel();
  branch_panel_ = make_branch_panel();
  connect(panel_, &DiagnosticsPanel::crossover_wanted, this,
          [this] { context_.commands.run("nbody.crossover", std::vector<std::string>()); });
  return {{QT_TRANSLATE_NOOP("declared", "Diagnostics"), panel_, Qt::RightDockWidgetArea},
          {QT_TRANSLATE_NOOP("declared", "Body"), body_panel_, Qt::RightDockWidgetArea},
          {QT_TRANSLATE_NOOP("declared", "Branch"), branch_panel_, Qt::RightDockWidgetArea}};
}

std::string NBodyLab::without_bodies() const {
  return runner_ ? std::string() : not_there_yet();
}

/// Bodies bring the solvers that there are to choose from, and the values that suit them: a reset leads there.
void NBodyLab::narrow(parameters::Description& description, const science::RunOptions& run) const {
  engines_->narrow(description);
  if (start_ && science::run_schema().has(description.key)) {
    science::RunOptions suited = science::suited_to(*start_, first_run(), {});
    description.default_value =
        parameters::StructParameters(science::run_schema(), suited).get(description.key);
  }
  if (start_ && !start_->units && description.key == "density")
    description.unit = {};  // mass per cubed length
  if (start_ && start_->units) {
    for (const char* key : {"softening", "probe-x", "probe-y", "probe-z"}) {
      if (description.key == key) description.unit = unit_of_parameter(length_unit(*start_->units));
    }
    if (description.key == "dt" && !in_a_box())
      description.unit = unit_of_parameter(time_unit(*start_->units));
    if (description.key == "new-body-mass") {
      science::ShownUnit mass = mass_unit(*start_->units);
      if (mass.name.starts_with("10^10 ")) mass = {1e10 * mass.size, "solar masses"};  // a shorter label
      description.unit = unit_of_parameter(mass);
    }
  }
  if (description.key == "body" && start_) {
    const std::size_t bodies = start_->bodies.size() + science::added_bodies(run.added).size();
    description.usual = parameters::Range{-1, static_cast<double>(bodies)};  // most files count from 1
  }
  if (description.key == "solver") {
    constexpr std::string_view periodic = "particle-mesh";
    std::erase_if(description.choices,
                  [&](const parameters::Choice& each) { return (each.key == periodic) != in_a_box(); });
  }
  if (start_ && !in_a_box()) narrow_to_used(description, *engines_, start_->bodies.size(), run);
}

bool NBodyLab::in_a_box() const {
  return file_ ? start_ && start_->box : scene_.scene == science::SceneKind::cosmological_box;
}

/// It needs no file: two galaxies are there with it.
void NBodyLab::start() {
  context_.document_opened({}, QObject::tr("Bodies"));
  make_bodies();
}

void NBodyLab::open_again(const std::filesystem::path& path, const nlohmann::json& state) {
  path.empty() ? start() : open_at(path, moment_of_session(state));
}

/// Of a trajectory at a moment to go on from; nothing: the recording is shown.
void NBodyLab::open_at(const std::filesystem::path& path, std::optional<std::size_t> moment) {
  context_.jobs.submit(workbench::said(QObject::tr("Open %1"), path.filename().string()), "nbody.start",
                       [this, path, moment, to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
                         const ReadBodies read = read_bodies(path, science::FileOptions().units, progress);
                         to_gui(workbench::guarded(this, [this, path, moment, read] {
                           file_ = path;
                           forget_choices();
                           context_.document_opened(path, QString::fromStdString(path.filename().string()));
                           take_read(read, moment);
                         }));
                       });
}

/// They were made for the bodies that were there before; what computes is this machine's.
void NBodyLab::forget_choices() {
  const auto engine = run_.engine;
  const auto devices = run_.devices;
  run_ = first_run();
  run_.engine = engine;
  run_.devices = devices;
  file_options_ = {};
  look_ = {};
  window_look_ = {};
  extent_.reset();
  step_chosen_ = softening_chosen_ = steps_chosen_ = false;
  first_wanted_.reset();
}

/// With other units.
void NBodyLab::read_again() {
  context_.jobs.submit(workbench::said(QObject::tr("Open %1"), file_->filename().string()), "nbody.start",
                       [this, path = *file_, units = file_options_.units,
                        to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
                         const ReadBodies read = read_bodies(path, units, progress);
                         to_gui(workbench::guarded(this, [this, read] { take_read(read, from_moment_); }));
                       });
}

/// Remarks name flags of isolume-batch; the window has a parameter in the place of each.
QString NBodyLab::for_window(const std::string& remarks) const {
  QString text = QString::fromStdString(remarks);
  for (const auto& each : file_set_.descriptions())
    text.replace(QStringLiteral("--") + QString::fromStdString(each.key),
                 QObject::tr("the parameter \"%1\"").arg(workbench::translated(each.label)));
  return text;
}

void NBodyLab::take_read(const ReadBodies& read, std::optional<std::size_t> moment) {
  close_branch();
  while (!former_.empty()) forget_former(former_.begin());
  if (runner_) end_in_job(std::move(runner_));
  frame_.reset();
  read_ = read;
  from_moment_.reset();
  if (read.trajectory && moment) from_moment_ = std::min(*moment, read.trajectory->moments() - 1);
  first_step_ = 0;
  start_ = read.start;
  first_course_.reset();
  trouble_.clear();
  errors_warning_.clear();
  context_.show_warning(for_window(read.start->remarks.text()));
  make_bodies();
}

/// Of the scene, or of the file that was read; then it begins anew. A scene that comes back by undo or redo has its run
/// again.
void NBodyLab::make_bodies() {
  playback_.pause();
  const bool anew = first_course_ || first_wanted_ || file_ || !context_.undoing || !context_.undoing();
  const auto former = std::ranges::find(former_, science::flags_of(scene_), &FormerRun::scene);
  if (!anew && former != former_.end()) return take_former(former);
  preparing_ = true;
  const Beginning beginning{.scene = scene_,
                            .read = read_,
                            .moment = from_moment_,
                            .step = first_step_,
                            .course = first_course_,
                            .run = run_,
                            .chosen = chosen(),
                            .engines = found_};
  context_.jobs.submit(workbench::said(QObject::tr("Prepare the bodies")), "nbody.start",
                       [this, which = ++prepared_, beginning,
                        to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
                         // Others may have been asked for while these were on their way; what waits for bodies waits for those.
                         const auto if_last = [&](auto action) {
                           to_gui(workbench::guarded(this, [this, which, action] {
                             if (which == prepared_) action();
                           }));
                         };
                         try {
                           const auto begun = std::make_shared<Begun>(begin(beginning, progress));
                           if_last([this, begun, course = beginning.course, engines = beginning.engines] {
                             take(std::move(*begun), course, engines);
                           });
                         } catch (...) {
                           if_last([this] {  // what there was stays
                             preparing_ = false;
                             first_course_.reset();
                           });
                           throw;
                         }
                       });
}

/// What was chosen while the bodies were made. Parameters that go together only once all of them are set are set in
/// the second round.
void NBodyLab::set_chosen(simulation::Simulation& simulation) {
  for (const bool last : {false, true}) {
    for (const auto& each : run_set_.descriptions()) {
      const bool suited = (each.key == "dt" && !step_chosen_) ||
                          (each.key == "softening" && !softening_chosen_) ||
                          (is_of_steps(each.key) && !steps_chosen_) ||
                          (each.key == "solver" && in_a_box() != sums_in_a_box(run_));
      if (suited) continue;
      try {
        simulation.set_parameter(each.key, run_set_.get(each.key));
      } catch (const Error& error) {
        if (last) context_.show_warning(QString::fromUtf8(error.what()));
      }
    }
  }
}

/// The run ends, or stays for undo and redo where steps were computed; those of long ago end first.
void NBodyLab::set_run_aside() {
  if (!runner_) return;
  const auto steps = runner_->recorded();
  const bool stays =
      !file_ && !on_course_ && scene_of_run_ != science::flags_of(scene_) && steps.last > steps.first;
  if (!stays) return end_in_job(std::move(runner_));
  const simulation::RunnerStatus status = runner_->status();
  runner_->look(std::nullopt, std::nullopt);
  if (const auto same = std::ranges::find(former_, scene_of_run_, &FormerRun::scene); same != former_.end())
    forget_former(same);
  former_.push_back({scene_of_run_, std::move(runner_), start_, engines_,
                     shown_ == nothing ? steps.first : shown_, status.frame_bytes + status.checkpoint_bytes});
  std::size_t bytes = 0;
  for (const FormerRun& each : former_) bytes += each.bytes;
  while (bytes > most_bytes_of_former) {
    bytes -= former_.front().bytes;
    forget_former(former_.begin());
  }
}

void NBodyLab::forget_former(std::vector<FormerRun>::iterator which) {
  end_in_job(std::move(which->runner));
  former_.erase(which);
}

void NBodyLab::take_former(std::vector<FormerRun>::iterator which) {
  const FormerRun former = std::move(*which);
  former_.erase(which);
  ++prepared_;
  close_branch();
  set_run_aside();
  start_ = former.start;
  engines_ = former.engines;
  on_course_ = false;
  runner_ = former.runner;
  show_run(former.shown);
  take_parameters_of_runner();
}

/// The scene was left and came back before the other one's bodies were made.
bool NBodyLab::is_still_there() const {
  return runner_ && !file_ && context_.undoing && context_.undoing() &&
         scene_of_run_ == science::flags_of(scene_);
}

void NBodyLab::keep_run() {
  ++prepared_;
  preparing_ = false;
  take_parameters_of_runner();
}

void NBodyLab::take(Begun begun, const std::optional<simulation::Course>& course, const Engines& engines) {
  close_branch();
  set_run_aside();
  // An earlier run of this scene, which it takes the place of.
  const auto same = std::ranges::find(former_, science::flags_of(scene_), &FormerRun::scene);
  if (same != former_.end()) forget_former(same);
  start_ = begun.start;
  engines_ = engines;
  on_course_ = course.has_value();
  if (!on_course_) {
    run_.added = science::joining_at_start(run_.added);
    set_chosen(*begun.simulation);
  }
  run_ = options_of(*begun.simulation);
  write_steps_of_added();
  runner_ = std::make_shared<Runner>(std::move(begun.simulation), runner_options(),
                                     course.value_or(simulation::Course()));
  parameters_epoch_ = runner_->parameters_epoch();
  observe_runner();
  first_course_.reset();
  if (on_course_) {
    for (const auto& [key, value] : std::exchange(set_meanwhile_, {})) runner_->set_parameter(key, value);
    take_parameters_of_runner();
  }
  show_run(std::exchange(first_wanted_, std::nullopt).value_or(first_step_));
}

/// From a step on; nothing is known of another run.
void NBodyLab::show_run(std::int64_t first) {
  scene_of_run_ = science::flags_of(scene_);
  preparing_ = false;
  ++system_;
  first_shown_ = false;
  frame_.reset();
  if (!trouble_.empty() || !errors_warning_.empty()) context_.show_warning({});
  trouble_.clear();
  errors_warning_.clear();
  energy_remarks_ = {};
  undrawn_ = false;
  shown_ = nothing;
  if (panel_) {
    panel_->clear();
    panel_->begin_at(first_step_);
    panel_->set_units(start_->units);
    panel_->set_counted(recorded() ? QObject::tr("Snapshot") : DiagnosticsPanel::tr("Step"));
  }
  const auto recorded_now = runner_->recorded();
  taken_ = recorded() ? recorded_now.last : recorded_now.first - 1;
  context_.parameters_changed();
  context_.availability_changed();
  if (body_panel_) body_panel_->set_units(start_->units);
  const auto time = static_cast<double>(first);
  playback_.set_range(time - 1, time + 1, QObject::tr("steps"), 2 / steps_per_second);
  playback_.show_time(time);
  want(time);
}

simulation::RunnerOptions NBodyLab::runner_options() const {
  simulation::RunnerOptions options;
  options.wanted = science::frame_positions | science::frame_speeds | science::frame_potentials |
                   science::frame_velocities | science::frame_diagnostics;
  return options;
}

void NBodyLab::observe_runner() {
  runner_->observe([this, to_gui = context_.on_gui_thread, alive = QPointer<QObject>(this)] {
    to_gui([this, alive] {
      if (alive) follow();
    });
  });
}

/// How bodies move, and which were added and chosen, belongs to their scene: its run may have been another one's before.
std::vector<std::string> NBodyLab::goes_with(std::string_view key, const parameters::Value& /*value*/) const {
  if (!scene_set_.has(key)) return {};
  std::vector<std::string> keys{"added-bodies"};  // first: the run goes back to the step of the first of them
  for (const auto& each : run_set_.descriptions()) {
    if (each.key != keys.front()) keys.push_back(each.key);
  }
  if (key == "scene") keys.emplace_back("body");
  return keys;
}

void NBodyLab::set_parameter(std::string_view key, const parameters::Value& value) {
  if (scene_set_.has(key)) {
    const bool other_scene = key == "scene" && scene_set_.get(key) != value;
    if (scene_set_.get(key) != value) run_.added = science::only_new(run_.added);
    scene_set_.assign(key, value);
    if (key == "scene") step_chosen_ = softening_chosen_ = steps_chosen_ = false;
    if (other_scene) {
      playback_.set_reversed(false);
      run_.added.clear();
      look_.body = NBodyLook().body;
    }
    extent_.reset();
    first_course_.reset();
    if (preparing_ && is_still_there()) return keep_run();
    return make_bodies();
  }
  if (file_set_.has(key)) {
    const bool other = file_set_.get(key) != value;
    file_set_.assign(key, value);
    if (other && file_) read_again();
    return;
  }
  if (look_set_.has(key)) {
    look_set_.assign(key, value);
    return draw();
  }
  if (window_set_.has(key)) {
    window_set_.assign(key, value);
    probe_forces();
    return show_read_outs();
  }
  science::RunOptions changed = run_;
  parameters::StructParameters(science::run_schema(), changed).assign(key, value);
  if (runner_ && !preparing_) science::check(changed);  // else what does not go together yet may do so soon
  if (key == "added-bodies" && runner_ && !preparing_ && !recorded()) return set_added(changed.added);
  run_ = changed;
  if (key == "dt") step_chosen_ = true;
  if (key == "softening") softening_chosen_ = true;
  if (is_of_steps(key)) steps_chosen_ = true;
  if (runner_ && !preparing_) {
    runner_->set_parameter(key, value);
    if (recorded()) forget_earlier_forces();
  }
  if (preparing_ && first_course_) set_meanwhile_.insert_or_assign(std::string(key), value);
  if (branch_) show_captions();
}

/// The runner has gone back to parameters that it had.
void NBodyLab::take_parameters_of_runner() {
  parameters_epoch_ = runner_->parameters_epoch();  // first: what changes meanwhile is taken the next time
  for (const auto& each : run_set_.descriptions())
    run_set_.set(each.key, runner_->parameters().get(each.key));
  write_steps_of_added();
  energy_remarks_ = {};
  context_.parameters_changed();
  if (branch_) show_captions();
}

/// Bodies of the start have its step, as the text also says when they joined where it comes back by undo or a session.
void NBodyLab::write_steps_of_added() {
  run_.added = science::joining_at(first_step_, "", run_.added);
}

void NBodyLab::rewind() {
  if (shown_ == nothing) throw Error(not_there_yet());
  require_branch_stays(shown_);
  if (recorded()) return go_on_from_recorded();
  playback_.pause();
  const auto done = std::make_shared<std::future<void>>(runner_->rewind_to(shown_));
  context_.jobs.submit(workbench::said(QObject::tr("Go back to step %1"), std::to_string(shown_)),
                       "nbody.rewind",
                       [this, done, step = shown_, of = runner_.get(),
                        to_gui = context_.on_gui_thread](const jobs::Progress&) {
                         done->get();
                         to_gui(workbench::guarded(this, [this, step, of] {
                           if (runner_.get() != of) return;  // it begins anew
                           taken_ = step;
                           if (panel_) {
                             panel_->begin_at_or_before(step);
                             panel_->forget_after(step);
                           }
                           take_parameters_of_runner();
                           want(static_cast<double>(step));
                         }));
                       });
}

void NBodyLab::export_file(const std::filesystem::path& path) {
  const bool table = has_suffix(path, ".diagnostics.csv");
  const bool figure = has_suffix(path, ".diagnostics.svg") || has_suffix(path, ".diagnostics.pdf");
  const bool plot = has_suffix(path, ".plot.csv");
  if (table || figure || plot) {
    if (!panel_ || panel_->empty()) throw Error(not_there_yet());
    if (plot) return panel_->write_plot(path);
    return table ? panel_->write(path) : panel_->write_figure(path);
  }
  if (shown_ == nothing) throw Error(not_there_yet());
  if (has_suffix(path, ".h5")) return record(path, 1, std::nullopt);
  const auto copy =
      std::make_shared<std::future<std::unique_ptr<simulation::Simulation>>>(runner_->branch(shown_));
  context_.jobs.submit(
      workbench::said(QObject::tr("Write %1"), path.filename().string()), {},
      [this, copy, path, to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
        const auto made = copy->get();
        const auto& bodies = dynamic_cast<const science::NBodySimulation&>(*made);
        const Remarks remarks = science::write_bodies({.bodies = bodies.bodies(),
                                                       .id = bodies.labels()->id,
                                                       .origin = bodies.labels()->origin,
                                                       .origins = bodies.labels()->origins,
                                                       .radius = bodies.labels()->radius,
                                                       .time = bodies.time(),
                                                       .time_step = bodies.options().dt,
                                                       .softening = bodies.options().softening,
                                                       .box = bodies.labels()->box,
                                                       .units = bodies.labels()->units},
                                                      path, progress);
        if (remarks.empty()) return;
        to_gui(workbench::guarded(
            this, [this, text = remarks.text()] { context_.show_warning(for_window(text)); }));
      });
}

/// Which moment is shown, how it has come to be, and how time runs; the bodies are made or read again.
std::function<nlohmann::json()> NBodyLab::state() const {
  const bool shown = first_shown_ && shown_ != nothing && !preparing_;
  const std::int64_t awaited = preparing_ ? first_wanted_.value_or(first_step_) : first_step_;
  return [step = shown ? shown_ : awaited, branch = branch_ ? to_json(lasting_plan()) : nlohmann::json(),
          extent = shown ? to_json(picture_.drawing().extent) : nlohmann::json(),
          time = workbench::state_of(playback_), recorded = recorded(), chosen = chosen(),
          moment = from_moment_, course = course_for_session()] {
    nlohmann::json state = time;
    state["step"] = step;
    if (!extent.is_null()) state["extent"] = extent;
    if (!branch.is_null()) state["branch"] = branch;
    if (recorded)
      state["recorded"] = {
          {"dt_chosen", chosen.dt}, {"softening_chosen", chosen.softening}, {"steps_chosen", chosen.steps}};
    if (moment) state["moment"] = *moment;
    if (course) state["course"] = course();
    return state;
  };
}

void NBodyLab::restore(const nlohmann::json& state) {
  workbench::set_state(playback_, state);
  camera_kept_ = true;
  extent_ = extent_of_session(state);
  first_branch_.reset();
  if (const auto branch = state.find("branch"); branch != state.end())
    first_branch_ = branch_plan_of_session(*branch);
  first_wanted_ = state.at("step").get<std::int64_t>();
  set_meanwhile_.clear();
  if (recorded()) {
    const auto& told = state.at("recorded");
    step_chosen_ = told.at("dt_chosen").get<bool>();
    softening_chosen_ = told.at("softening_chosen").get<bool>();
    steps_chosen_ = told.value("steps_chosen", false);
    return make_bodies();
  }
  std::exception_ptr refused;  // the rest is restored nevertheless
  try {
    first_course_ = course_of_session(state);
  } catch (...) {
    refused = std::current_exception();
  }
  if (first_course_) {
    first_step_ = first_course_->begin;
    make_bodies();
  } else if (runner_ && !preparing_) {
    want(static_cast<double>(*std::exchange(first_wanted_, std::nullopt)));
  }
  if (refused) std::rethrow_exception(refused);
}

workbench::LabEntry lab_entry() {
  return {.description = description(), .make = workbench::make_lab<NBodyLab>};
}

}  // namespace isolume::labs::nbody
