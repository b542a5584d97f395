#include <QElapsedTimer>
#include <QObject>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <vtkImageData.h>

#include "app/bodies/force_error_probe.h"
#include "app/labs/nbody/bodies_picture.h"
#include "app/labs/nbody/declared_commands.h"
#include "app/labs/nbody/diagnostics_panel.h"
#include "app/scene/camera.h"
#include "app/scene/picture_of_view.h"
#include "app/scene/view_widget.h"
#include "app/workbench/command_registry.h"
#include "app/workbench/engines.h"
#include "app/workbench/guarded.h"
#include "app/workbench/lab.h"
#include "app/workbench/playback.h"
#include "app/workbench/playback_commands.h"
#include "app/workbench/playback_page.h"
#include "app/workbench/translated.h"
#include "core/jobs/activity.h"
#include "core/nbody/bodies_file.h"
#include "core/nbody/scenes.h"
#include "core/parameters/narrowed.h"
#include "core/simulation/runner.h"
#include "gpu/nbody/engines.h"

namespace isolume::labs::nbody {
namespace {

namespace science = isolume::nbody;
using simulation::Runner;

constexpr double steps_per_second = 30;  ///< at speed 1, where they can be computed so fast
constexpr double longest_frame_seconds = 0.1;
constexpr std::int64_t ahead_of_picture = 4;  ///< steps that are computed before they are shown
constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::min();  ///< in the place of a step
constexpr std::int64_t first_bodies = 20000;

std::string not_there_yet() {
  return workbench::said(QObject::tr("The bodies are not there yet."));
}

class NBodyLab final : public QObject, public workbench::Lab {
 public:
  explicit NBodyLab(workbench::LabContext& context);

  QWidget* page() override { return workbench::make_playback_page(context_, playback_, "nbody").page; }
  std::vector<workbench::LabPanel> panels() override;
  void start() override;
  void open(const std::filesystem::path& path) override;
  void open_again(const std::filesystem::path& path, const nlohmann::json&) override {
    path.empty() ? start() : open(path);
  }
  std::function<nlohmann::json()> state() const override;
  void restore(const nlohmann::json& state) override;
  parameters::ParameterSet* parameters() override { return file_ ? &shown_of_file_ : &shown_of_scene_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override;
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override;
  QString export_filter() const override {
    return QObject::tr(
        "Bodies (*.csv);;Bodies for other programs (*.xyz *.tipsy *.hdf5);;Diagnostics (*.diagnostics.csv)");
  }
  void export_file(const std::filesystem::path& path) override;
  bool busy() const override { return runner_ && shown_ != wanted_; }
  bool moving() const override { return playback_.playing(); }
  void stop_moving() override { playback_.pause(); }
  void shown_changed(bool shown) override {
    if (!shown) playback_.pause();
  }
  void devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) override;

 private:
  using Engines = std::shared_ptr<const science::EngineRegistry>;
  using Start = std::shared_ptr<const science::InitialConditions>;

  void add_commands();
  void make_bodies();
  void take(const Start& start, std::unique_ptr<science::NBodySimulation> simulation, const Engines& engines);
  void narrow(parameters::Description& description) const { engines_->narrow(description); }
  void set_chosen(science::NBodySimulation& simulation);
  void want(double step);
  void follow();
  void show(const std::shared_ptr<const science::NBodyFrame>& frame);
  void draw();
  void tell();
  void rewind();
  std::string without_bodies() const;
  void take_parameters_of_runner();

  workbench::LabContext& context_;
  science::SceneOptions scene_;
  science::RunOptions run_;
  bodies::BodiesLook look_;
  parameters::StructParameters<science::SceneOptions> scene_set_{science::scene_schema(), scene_};
  parameters::StructParameters<science::RunOptions> run_set_{science::run_schema(), run_};
  parameters::StructParameters<bodies::BodiesLook> look_set_{bodies::bodies_look_schema(), look_};
  parameters::CombinedParameters of_scene_{{&scene_set_, &run_set_, &look_set_}};
  parameters::CombinedParameters of_file_{{&run_set_, &look_set_}};
  parameters::NarrowedParameters shown_of_scene_{of_scene_, {}, [this](auto& each) { narrow(each); }};
  parameters::NarrowedParameters shown_of_file_{of_file_, {}, [this](auto& each) { narrow(each); }};
  Engines found_ =
      workbench::one_engine(science::make_cpu_engine());  ///< of the machine, as far as they are known
  Engines engines_ = found_;                              ///< of the bodies that are shown
  /// Time step and softening are those that a person has set, not those that suit the bodies.
  bool step_chosen_ = false, softening_chosen_ = false;
  bool preparing_ = false;  ///< a job makes the bodies

  std::optional<std::filesystem::path> file_;  ///< nothing: a scene
  Start start_;
  std::unique_ptr<Runner> runner_;
  std::shared_ptr<const science::NBodyFrame> frame_;
  std::int64_t wanted_ = 0, taken_ = -1;  ///< steps; `taken_`: of which the panel knows
  std::int64_t shown_ = nothing;
  std::int64_t first_wanted_ = 0;       ///< of the next simulation: a session's
  bool camera_kept_ = false;            ///< the session's, when its first frame comes
  jobs::Activity::Pointer awaited_by_;  ///< the command that ends when what is wanted is shown
  std::string trouble_;
  bodies::ForceErrorProbe probe_;
  QElapsedTimer since_probe_;

  BodiesPicture picture_;
  workbench::Playback playback_;
  QPointer<DiagnosticsPanel> panel_;
};

NBodyLab::NBodyLab(workbench::LabContext& context) : context_(context), picture_(*context.view.renderer()) {
  scene_.scene = science::SceneKind::encounter;
  scene_.bodies = first_bodies;
  scene_.separation = 12;
  scene_.mass_ratio = 0.6;
  run_.opening_angle = 0.8;
  playback_.set_at_end(simulation::Clock::AtEnd::stop);
  playback_.let_grow(1);
  playback_.wait_for([this] { return shown_ == wanted_; }, longest_frame_seconds);
  connect(&playback_, &workbench::Playback::time_changed, this, &NBodyLab::want);
  connect(&playback_, &workbench::Playback::playing_changed, this, [this] {
    want(playback_.clock().time());
    if (!playback_.playing()) playback_.show_time(static_cast<double>(wanted_));
    context_.availability_changed();
  });
  add_commands();
}

void NBodyLab::add_commands() {
  auto& commands = context_.commands;
  commands.declare(declared_commands());
  const auto unavailable = [this] { return without_bodies(); };
  commands.bind("nbody.play", [this](const auto&) { playback_.play(); }, unavailable,
                {.shortcut = "Space", .checked = [this] { return playback_.playing(); }});
  commands.bind("nbody.stop", [this](const auto&) { playback_.pause(); });
  commands.bind("nbody.scene", [this](const commands::Arguments& arguments) {
    if (file_)
      throw Error(workbench::said(
          QObject::tr("This document is a file. Choose a scene in a new one: document.new.")));
    std::vector<std::pair<std::string, std::string>> values{{"scene", arguments.text("scene")}};
    for (const char* key : {"bodies", "seed"}) {
      if (arguments.has(key)) values.emplace_back(key, fmt::format("{}", arguments.integer(key)));
    }
    context_.set_parameters(QObject::tr("Choose scene"), values);
  });
  commands.bind("nbody.restart", [this](const auto&) { make_bodies(); });
  commands.bind(
      "nbody.rewind", [this](const auto&) { rewind(); }, unavailable);
  workbench::add_playback_commands(commands, "nbody", playback_, unavailable);
}

/// Bodies keep the engines that they were made with, as steps that are computed again must come out the same. Those
/// that nobody has moved yet are made again where there are GPUs.
void NBodyLab::devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) {
  workbench::prepare_engines(
      context_, "nbody", this,
      [devices] { return std::make_shared<const science::EngineRegistry>(gpu::make_nbody_engines(devices)); },
      [this](const Engines& engines) {
        found_ = engines;
        if (engines->engines().size() > 1 && (runner_ || preparing_) && taken_ <= 0 && first_wanted_ == 0)
          make_bodies();
      });
}

std::vector<workbench::LabPanel> NBodyLab::panels() {
  panel_ = new DiagnosticsPanel;
  return {{QT_TRANSLATE_NOOP("declared", "Diagnostics"), panel_, Qt::RightDockWidgetArea}};
}

std::string NBodyLab::without_bodies() const {
  return runner_ ? std::string() : not_there_yet();
}

/// It needs no file: two galaxies are there with it.
void NBodyLab::start() {
  context_.document_opened({}, QObject::tr("Bodies"));
  make_bodies();
}

void NBodyLab::open(const std::filesystem::path& path) {
  context_.jobs.submit(
      workbench::said(QObject::tr("Open %1"), path.filename().string()), "nbody.start",
      [this, path, run = run_, to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
        auto start = std::make_shared<const science::InitialConditions>(
            science::read_bodies(path, std::nullopt, progress));
        to_gui(workbench::guarded(this, [this, path, start] {
          file_ = path;
          runner_.reset();
          frame_.reset();
          step_chosen_ = softening_chosen_ = false;
          start_ = start;
          context_.document_opened(path, QString::fromStdString(path.filename().string()));
          make_bodies();
        }));
      });
}

/// Of the scene, or of the file that was read; then it begins anew.
void NBodyLab::make_bodies() {
  playback_.pause();
  preparing_ = true;
  context_.jobs.submit(
      workbench::said(QObject::tr("Prepare the bodies")), "nbody.start",
      [this, scene = scene_, run = run_, read = file_ ? start_ : nullptr, step_chosen = step_chosen_,
       softening_chosen = softening_chosen_, engines = found_,
       to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
        progress.report(0.1, "bodies");
        const Start start =
            read ? read : std::make_shared<const science::InitialConditions>(science::make_scene(scene));
        science::RunOptions options = run;
        if (!step_chosen && start->time_step > 0) options.dt = start->time_step;
        if (!softening_chosen) options.softening = start->softening;
        progress.check();
        auto made = std::make_shared<std::unique_ptr<science::NBodySimulation>>(
            std::make_unique<science::NBodySimulation>(*start, options, engines));
        to_gui(workbench::guarded(this,
                                  [this, start, made, engines] { take(start, std::move(*made), engines); }));
      });
}

/// What was chosen while the bodies were made. Parameters that go together only once all of them are set are set in
/// the second round.
void NBodyLab::set_chosen(science::NBodySimulation& simulation) {
  for (const bool last : {false, true}) {
    for (const auto& each : run_set_.descriptions()) {
      const bool suited =
          (each.key == "dt" && !step_chosen_) || (each.key == "softening" && !softening_chosen_);
      if (suited) continue;
      try {
        simulation.set_parameter(each.key, run_set_.get(each.key));
      } catch (const Error& error) {
        if (last) context_.show_warning(QString::fromUtf8(error.what()));
      }
    }
  }
}

void NBodyLab::take(const Start& start, std::unique_ptr<science::NBodySimulation> simulation,
                    const Engines& engines) {
  start_ = start;
  engines_ = engines;
  preparing_ = false;
  picture_.fit_next();
  set_chosen(*simulation);
  run_ = simulation->options();
  runner_.reset();
  frame_.reset();
  if (!trouble_.empty()) context_.show_warning({});
  trouble_.clear();
  shown_ = nothing;
  taken_ = -1;
  if (panel_) panel_->clear();
  simulation::RunnerOptions options;
  options.wanted = science::frame_positions | science::frame_speeds | science::frame_potentials |
                   science::frame_diagnostics;
  runner_ = std::make_unique<Runner>(std::move(simulation), options);
  runner_->observe([this, to_gui = context_.on_gui_thread, alive = QPointer<QObject>(this)] {
    to_gui([this, alive] {
      if (alive) follow();
    });
  });
  since_probe_.start();
  context_.parameters_changed();
  context_.availability_changed();
  playback_.set_range(0, 1, QObject::tr("steps"), 1 / steps_per_second);
  const auto first = static_cast<double>(std::exchange(first_wanted_, 0));
  playback_.show_time(0);
  want(first);
}

/// The step is shown as soon as it is there; while time runs, those after it are computed already.
void NBodyLab::want(double step) {
  if (!runner_) return;
  wanted_ = std::llround(step);
  if (wanted_ != shown_ && jobs::Activity::current()) awaited_by_ = jobs::Activity::current();
  std::int64_t ahead = wanted_;
  if (playback_.playing()) ahead += playback_.clock().reversed() ? -ahead_of_picture : ahead_of_picture;
  runner_->look(wanted_, ahead);
  follow();
}

void NBodyLab::follow() {
  if (!runner_) return;
  const auto recorded = runner_->recorded();
  // One more than there is, so that time can run on into what is computed next.
  const auto low = static_cast<double>(std::min(recorded.first, wanted_) - 1);
  const auto high = static_cast<double>(std::max(recorded.last, wanted_) + 1);
  playback_.set_range(low, high, QObject::tr("steps"), (high - low) / steps_per_second);
  for (std::int64_t step = taken_ + 1; step <= recorded.last; ++step) {
    const auto frame = std::dynamic_pointer_cast<const science::NBodyFrame>(runner_->frame(step));
    if (frame && panel_) panel_->add(*frame);
    taken_ = step;
  }
  const auto frame = std::dynamic_pointer_cast<const science::NBodyFrame>(runner_->frame(wanted_));
  if (frame && frame != frame_) show(frame);
  if (shown_ == wanted_) awaited_by_.reset();
  const std::string trouble = runner_->status().error;
  if (trouble != trouble_) {
    trouble_ = trouble;
    if (!trouble.empty()) {
      playback_.pause();
      if (const auto activity = std::exchange(awaited_by_, nullptr)) activity->fail(trouble);
    }
    context_.show_warning(QString::fromStdString(trouble));
  }
}

void NBodyLab::show(const std::shared_ptr<const science::NBodyFrame>& frame) {
  const bool first = !std::exchange(frame_, frame);
  shown_ = frame->step;
  if (!playback_.playing()) playback_.show_time(static_cast<double>(shown_));
  draw();
  if (first) {
    if (!std::exchange(camera_kept_, false)) scene::view_from(*context_.view.renderer(), "isometric");
    context_.view.request_render();
  }
  if (panel_) {
    panel_->add(*frame);
    panel_->show(shown_);
    const double seconds = static_cast<double>(since_probe_.restart()) * 1e-3;
    if (const auto error = probe_.advance(seconds, frame_, run_, engines_)) panel_->set_force_error(*error);
  }
  tell();
}

void NBodyLab::draw() {
  if (!frame_) return;
  const auto& choices = bodies::bodies_look_schema().at("colour-by").description.choices;
  const std::string& by = choices[static_cast<std::size_t>(look_.colour_by)].label;
  picture_.show(frame_, look_, workbench::translated(by).toStdString());
  context_.view.request_render();
}

void NBodyLab::tell() {
  const double rate = runner_->status().steps_per_second;
  const QString speed = rate > 0 ? QObject::tr(", %1 steps/s").arg(rate, 0, 'g', 3) : QString();
  context_.show_status(
      QObject::tr("Step %1, t = %2 (G = 1) | %n bodies | %3%4", "", static_cast<int>(frame_->size()))
          .arg(frame_->step)
          .arg(frame_->time, 0, 'g', 5)
          .arg(QString::fromStdString(frame_->computed_by), speed));
}

void NBodyLab::set_parameter(std::string_view key, const parameters::Value& value) {
  if (scene_set_.has(key)) {
    scene_set_.set(key, value);
    if (key == "scene") step_chosen_ = softening_chosen_ = false;
    return make_bodies();
  }
  if (look_set_.has(key)) {
    look_set_.set(key, value);
    return draw();
  }
  science::RunOptions changed = run_;
  parameters::StructParameters set(science::run_schema(), changed);
  set.set(key, value);
  if (runner_ && !preparing_) science::check(changed);  // else what does not go together yet may do so soon
  run_set_.set(key, value);
  if (key == "dt") step_chosen_ = true;
  if (key == "softening") softening_chosen_ = true;
  if (runner_ && !preparing_) runner_->set_parameter(key, value);
}

/// The runner has gone back to parameters that it had.
void NBodyLab::take_parameters_of_runner() {
  for (const auto& each : run_set_.descriptions())
    run_set_.set(each.key, runner_->parameters().get(each.key));
  context_.parameters_changed();
}

void NBodyLab::rewind() {
  if (!frame_) throw Error(not_there_yet());
  playback_.pause();
  const auto done = std::make_shared<std::future<void>>(runner_->rewind_to(shown_));
  context_.jobs.submit(workbench::said(QObject::tr("Go back to step %1"), static_cast<double>(shown_)),
                       "nbody.rewind",
                       [this, done, step = shown_, of = runner_.get(),
                        to_gui = context_.on_gui_thread](const jobs::Progress&) {
                         done->get();
                         to_gui(workbench::guarded(this, [this, step, of] {
                           if (runner_.get() != of) return;  // it begins anew
                           taken_ = step;
                           if (panel_) panel_->forget_after(step);
                           take_parameters_of_runner();
                           want(static_cast<double>(step));
                         }));
                       });
}

void NBodyLab::write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                           int dpi) {
  if (transparent)
    throw Error(workbench::said(QObject::tr(
        "Light needs a dark background and cannot have a transparent one: leave out transparent.")));
  if (picture_.empty()) throw Error(not_there_yet());
  const auto image =
      scene::picture_of_view(context_.view, {width, height, false, dpi},
                             [this](vtkRenderer& renderer) { return picture_.copy_into(renderer); });
  context_.jobs.submit(workbench::said(QObject::tr("Write %1"), path.filename().string()), {},
                       [=](const jobs::Progress&) { scene::write_png(*image, dpi, path); });
}

void NBodyLab::export_file(const std::filesystem::path& path) {
  if (path.string().ends_with(".diagnostics.csv")) {
    if (panel_) panel_->write(path);
    return;
  }
  if (!frame_) throw Error(not_there_yet());
  const auto copy =
      std::make_shared<std::future<std::unique_ptr<simulation::Simulation>>>(runner_->branch(shown_));
  context_.jobs.submit(workbench::said(QObject::tr("Write %1"), path.filename().string()), {},
                       [copy, path](const jobs::Progress& progress) {
                         const auto made = copy->get();
                         const auto& bodies = dynamic_cast<const science::NBodySimulation&>(*made);
                         science::write_bodies({.bodies = bodies.bodies(),
                                                .id = bodies.labels()->id,
                                                .origin = bodies.labels()->origin,
                                                .origins = bodies.labels()->origins,
                                                .time = bodies.time(),
                                                .time_step = bodies.options().dt,
                                                .softening = bodies.options().softening},
                                               path, progress);
                       });
}

/// Which moment is shown, and how time runs; the bodies are made or read again.
std::function<nlohmann::json()> NBodyLab::state() const {
  return [step = frame_ ? shown_ : 0, speed = playback_.clock().speed(),
          reversed = playback_.clock().reversed()] {
    return nlohmann::json{{"step", step}, {"speed", speed}, {"reversed", reversed}};
  };
}

void NBodyLab::restore(const nlohmann::json& state) {
  playback_.set_speed(state.at("speed").get<double>());
  playback_.set_reversed(state.at("reversed").get<bool>());
  camera_kept_ = true;
  first_wanted_ = state.at("step").get<std::int64_t>();
  if (runner_ && !preparing_) want(static_cast<double>(std::exchange(first_wanted_, 0)));
}

}  // namespace

workbench::LabEntry lab_entry() {
  return {.name = "nbody",
          .title = QObject::tr("N-body"),
          .summary = QObject::tr("Bodies that attract each other: galaxies that answer sliders."),
          .file_filter = QObject::tr("Bodies (*.csv *.hdf5 *.h5 *.tipsy *.xyz)"),
          .opens =
              [](const std::filesystem::path& path) {
                const auto suffix = path.extension();
                return suffix == ".csv" || suffix == ".hdf5" || suffix == ".h5" || suffix == ".tipsy";
              },
          .make = [](workbench::LabContext& context) { return std::make_unique<NBodyLab>(context); },
          .commands = declared_commands,
          .parameters =
              [] {
                science::SceneOptions scene;
                science::RunOptions run;
                bodies::BodiesLook look;
                parameters::StructParameters scene_set(science::scene_schema(), scene);
                parameters::StructParameters run_set(science::run_schema(), run);
                parameters::StructParameters look_set(bodies::bodies_look_schema(), look);
                return parameters::CombinedParameters({&scene_set, &run_set, &look_set}).descriptions();
              }};
}

}  // namespace isolume::labs::nbody
