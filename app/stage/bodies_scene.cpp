#include "app/stage/bodies_scene.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <glm/ext/matrix_transform.hpp>
#include <glm/gtc/type_ptr.hpp>

#include "app/bodies/bodies_look.h"
#include "app/bodies/force_error_probe.h"
#include "app/bodies/orbit_lines.h"
#include "app/opengl/colours.h"
#include "app/opengl/points.h"
#include "app/stage/parameter_sliders.h"
#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/base/shown_number.h"
#include "core/nbody/bodies/units.h"
#include "core/nbody/engines/best_solver.h"
#include "core/nbody/runs/energy_reference.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/simulation/player.h"
#include "core/simulation/runner.h"

namespace isolume::stage {
namespace {

using bodies::drawn_bodies;
using bodies::DrawnBodies;
using bodies::ForceErrorProbe;

using nbody::NBodyFrame;
using nbody::NBodySimulation;

/// 50000 as "50 000".
std::string grouped(std::size_t number) {
  constexpr const char* thin_space = "\u2009";
  std::string text = fmt::format("{}", number);
  for (auto place = static_cast<int>(text.size()) - 3; place > 0; place -= 3)
    text.insert(static_cast<std::size_t>(place), thin_space);
  return text;
}

/// Speed of the scene's time, averaged over about a second.
class Pace {
 public:
  void advance(double seconds, double time) {
    constexpr double memory = 1;  // second
    seconds_ = seconds_ * std::exp(-seconds / memory) + seconds;
    time_ = time_ * std::exp(-seconds / memory) + time;
  }
  bool known() const { return seconds_ > 0.5; }
  double a_second() const { return seconds_ > 0 ? time_ / seconds_ : 0; }

 private:
  double seconds_ = 0, time_ = 0;
};

const parameters::Schema<StageLook>& stage_look_schema() {
  static const parameters::Schema<StageLook> schema({parameters::field("trails", &StageLook::trails, "Trails")
                                                         .unit("frames")
                                                         .range(0, 200)
                                                         .usual(0, 60)
                                                         .group("Picture")
                                                         .help("Trail length, in frames.")},
                                                    bodies::bodies_look_schema());
  return schema;
}

class BodiesScene final : public Scene {
 public:
  explicit BodiesScene(const BodiesPlot& plot) : plot_(plot) {
    look_ = plot_.look;
    start();
    built_.wait();
    take_built();
    for (const auto& each : parameters_.all().descriptions())
      first_values_[each.key] = parameters_.get(each.key);
  }

  parameters::ParameterSet& parameters() override { return parameters_; }
  Camera first_camera() const override { return first_camera_; }

  void advance(double seconds) override;
  void film(double seconds) override;
  void go_to(double seconds) override;
  void draw(const opengl::Eye& eye) override;
  float exposure() const override { return static_cast<float>(look_.exposure); }
  double trails() const override { return look_.trails; }

  bool playing() const override { return player_->playing(); }
  void play() override { player_->play(); }
  void pause() override { player_->pause(); }
  bool reversed() const override { return player_->reversed(); }
  void set_reversed(bool reversed) override { player_->set_reversed(reversed); }
  void set_speed(double speed) override { player_->set_speed(speed); }
  double speed() const override { return player_->clock().speed(); }
  void step(int frames) override { player_->step(frames); }
  Moment moment() const override;
  void seek(double time) override;
  void restart() override { start(); }

  std::vector<std::string> caption(const Camera& camera) const override;
  std::vector<const Series*> graphs() const override;
  std::optional<Legend> legend() const override;
  Marks marks() const override;
  std::uint64_t picture() const override { return picture_; }
  std::int64_t computed() const override { return computed_; }
  bool settled() const override;
  bool behind() const override;
  std::string trouble() const override;

 private:
  /// Parameters of the initial conditions, of the running simulation and of the picture.
  class Parameters final : public parameters::ParameterSet {
   public:
    explicit Parameters(BodiesScene& scene) : scene_(scene) {}
    std::vector<parameters::Description> descriptions() const override;
    bool has(std::string_view key) const override { return key != "scene" && all().has(key); }
    parameters::Value get(std::string_view key) const override { return all().get(key); }
    void set(std::string_view key, const parameters::Value& value) override;

    parameters::CombinedParameters all() const {
      return parameters::CombinedParameters(
          {&scene_.start_set_, &scene_.runner_->parameters(), &scene_.look_set_});
    }

   private:
    BodiesScene& scene_;
  };

  using Built = std::unique_ptr<NBodySimulation>;
  void start();
  void take_built();
  void take_frame(simulation::FramePointer frame);
  void take_force_error(const nbody::SampledErrors& errors);
  void count_steps();
  void place_camera();
  void upload();
  Legend legend_of_origins() const;
  void take_options(nbody::RunOptions& run) const;
  nbody::RunOptions options() const;
  std::string unit_of(double value, const nbody::ShownUnit& unit) const;
  double dt() const { return std::get<double>(runner_->parameters().get("dt")); }

  BodiesPlot plot_;
  std::optional<nbody::Units> units_;  ///< of the scene; nothing: only that G = 1 is known
  nbody::ShownUnit length_{1, ""}, time_{1, ""};
  StageLook look_;
  parameters::StructParameters<nbody::SceneOptions> start_set_{nbody::scene_schema(), plot_.start};
  parameters::StructParameters<StageLook> look_set_{stage_look_schema(), look_};
  Parameters parameters_{*this};

  std::unique_ptr<simulation::Runner> runner_;
  std::optional<simulation::Player> player_;
  std::shared_ptr<const NBodyFrame> frame_, drawn_;
  std::future<Built> built_;
  std::string trouble_;
  std::uint64_t picture_ = 0;
  std::int64_t computed_ = 0;
  simulation::Recorded counted_;  ///< in `computed_`

  Camera first_camera_;
  bool has_camera_ = false;
  opengl::Points points_;
  DrawnBodies bodies_;
  std::shared_ptr<const bodies::SteadyBodies> steady_;     ///< of these
  double largest_sphere_ = 0;                              ///< that of the first frame with spheres
  Legend origins_;                                         ///< of these
  std::map<std::string, parameters::Value> first_values_;  ///< of all parameters
  bool start_again_ =
      false;  ///< start again once the pending scene is ready, as parameters have changed meanwhile
  nbody::EnergyReference energy_;
  Pace pace_;
  Series step_times_{"Step", "ms"}, drift_{"Energy error", ""}, force_error_{"Force error, 99 % below", ""};
  bool exact_forces_ = false;
  ForceErrorProbe::Engines engines_ = nbody::cpu_engines();
  ForceErrorProbe probe_;
};

std::vector<parameters::Description> BodiesScene::Parameters::descriptions() const {
  constexpr double width = 10;
  const nbody::RunOptions run = scene_.options();
  std::vector<parameters::Description> shown, at_the_end;
  for (parameters::Description& each : all().descriptions()) {
    if (scene_.frame_) nbody::narrow_to_used(each, *scene_.engines_, scene_.frame_->size(), run);
    if (each.key == "scene") continue;                            // the stage chooses the scene
    if (each.key == "added-bodies") continue;                     // a table, for files and scripts
    if (each.key == "engine" || each.key == "devices") continue;  // the stage computes on the CPU only
    if (!parameters::relevant(each, all())) continue;
    const bool of_named = each.key == "names" || each.key == "orbits";
    if (of_named && nbody::named_bodies(*scene_.frame_->labels).empty()) continue;
    each.default_value = scene_.first_values_.at(each.key);
    const auto* first = std::get_if<double>(&each.default_value);
    if (each.key == "dt") {
      each.usual = {*first / width, *first * width};
      each.unit = scene_.unit_of(scene_.dt(), scene_.time_);
    }
    if (each.key == "softening") {
      each.usual = {0, std::max(*first * width, 0.1)};
      each.unit = scene_.unit_of(std::get<double>(get(each.key)), scene_.length_);
    }
    if (nbody::scene_schema().has(each.key) && each.key != "bodies") {
      each.group = start_group;
      at_the_end.push_back(std::move(each));
    } else {
      shown.push_back(std::move(each));
    }
  }
  shown.insert(shown.end(), at_the_end.begin(), at_the_end.end());
  return shown;
}

void BodiesScene::Parameters::set(std::string_view key, const parameters::Value& value) {
  if (!has(key)) description(key);  // throws
  if (nbody::run_schema().has(key)) {
    // Checked here, as the runner reports errors only later.
    nbody::RunOptions run = scene_.options();
    parameters::StructParameters<nbody::RunOptions>(nbody::run_schema(), run).set(key, value);
    nbody::check(run);
  }
  all().set(key, value);
  ++scene_.picture_;
  if (nbody::scene_schema().has(key)) scene_.start();
  if (stage_look_schema().has(key)) scene_.drawn_ = nullptr;
}

/// What stands after a number that has this size in the unit of that name: "au", "(1.9 Myr)", or that G = 1.
std::string BodiesScene::unit_of(double value, const nbody::ShownUnit& unit) const {
  if (!units_) return "(G = 1)";
  return unit.size == 1 ? unit.name : fmt::format("({} {})", shown_reading(value * unit.size, 3), unit.name);
}

/// Starts with the current parameters. Until they are changed, time step and softening are chosen to suit the
/// scene.
void BodiesScene::start() {
  start_again_ = built_.valid();
  if (start_again_) return;
  std::optional<nbody::RunOptions> kept;
  if (runner_) kept = options();
  built_ = std::async(std::launch::async, [plot = plot_, kept, engines = engines_] {
    nbody::InitialConditions start = nbody::make_scene(plot.start);
    nbody::RunOptions run = kept.value_or(plot.run);
    if (!kept) {
      if (plot.time_step > 0) run.dt = plot.time_step;
      run = nbody::suited_to(start, run, {.dt = plot.time_step > 0});
    }
    return std::make_unique<NBodySimulation>(std::move(start), run, engines);
  });
}

/// Applies run options to the running simulation.
void BodiesScene::take_options(nbody::RunOptions& run) const {
  parameters::StructParameters<nbody::RunOptions> set(nbody::run_schema(), run);
  for (const auto& each : set.descriptions()) set.set(each.key, runner_->parameters().get(each.key));
}

nbody::RunOptions BodiesScene::options() const {
  nbody::RunOptions run;
  take_options(run);
  return run;
}

void BodiesScene::take_built() {
  Built simulation;
  try {
    simulation = built_.get();
    trouble_.clear();
  } catch (const Error& error) {
    if (start_again_) return start();
    if (!runner_) throw;
    trouble_ = error.what();
    return;
  }
  if (start_again_) return start();
  if (runner_) {  // parameters may have changed since it was begun
    nbody::RunOptions run = simulation->options();
    take_options(run);
    simulation->set_options(run);
  }
  units_ = simulation->labels()->units;
  if (units_) length_ = length_unit(*units_), time_ = time_unit(*units_);
  const bool playing = player_ && player_->playing();
  const double speed = player_ ? player_->clock().speed() : 1;
  simulation::RunnerOptions options;
  options.wanted =
      nbody::frame_positions | nbody::frame_speeds | nbody::frame_potentials | nbody::frame_totals;
  if (plot_.start.scene == nbody::SceneKind::solar_system) options.wanted |= nbody::frame_velocities;
  player_.reset();
  runner_ = std::make_unique<simulation::Runner>(std::move(simulation), options);
  player_.emplace(*runner_, plot_.steps_a_second);
  player_->set_speed(speed);
  if (playing) player_->play();
  energy_.clear();
  largest_sphere_ = 0;
  counted_ = runner_->recorded();
  for (Series* each : {&step_times_, &drift_, &force_error_}) each->clear();
  if (!has_camera_) take_frame(runner_->go_to(0).get());
}

void BodiesScene::take_frame(simulation::FramePointer frame) {
  if (!frame || frame == frame_ || !frame->readable()) return;
  frame_ = std::dynamic_pointer_cast<const NBodyFrame>(frame);
  ++picture_;
  if (frame_->diagnostics) {
    const nbody::Diagnostics& now = *frame_->diagnostics;
    energy_.take(frame_->step, now, frame_->options);
    drift_.add(static_cast<float>(energy_.error(now)));
  }
  if (!has_camera_) place_camera();
  if (const double speed = runner_->status().steps_per_second; speed > 0)
    step_times_.add(static_cast<float>(1000 / speed));
}

/// Exact forces have no error to show.
void BodiesScene::take_force_error(const nbody::SampledErrors& errors) {
  exact_forces_ = errors.are_exact();
  if (exact_forces_) {
    force_error_.clear();
  } else {
    force_error_.add(static_cast<float>(errors.p99));
  }
}

std::vector<const Series*> BodiesScene::graphs() const {
  std::vector<const Series*> graphs{&step_times_, &drift_};
  if (!exact_forces_) graphs.push_back(&force_error_);
  return graphs;
}

void BodiesScene::count_steps() {
  const simulation::Recorded now = runner_->recorded();
  if (now.epoch == counted_.epoch)
    computed_ += std::max<std::int64_t>(now.last - counted_.last, 0) +
                 std::max<std::int64_t>(counted_.first - now.first, 0);
  counted_ = now;
}

/// Places the camera so that nine of ten visible bodies are in the picture, with a margin.
void BodiesScene::place_camera() {
  const auto steady = bodies::steady_bodies(frame_->labels, look_);
  const DrawnBodies drawn = drawn_bodies(*frame_, *steady);
  if (drawn.positions.empty()) return;
  const auto [centre, radius] = bodies::first_region(drawn.positions, steady->masses);
  const Eigen::Vector3f focus = centre + frame_->centre.cast<float>();
  constexpr float room = 3;
  first_camera_.focus = {focus.x(), focus.y(), focus.z()};
  first_camera_.distance = std::max(room * radius, 1e-3F);
  first_camera_.elevation = plot_.elevation;
  first_camera_.azimuth = -1.2F;
  has_camera_ = true;
}

void BodiesScene::advance(double seconds) {
  const double before = frame_ ? frame_->time : 0;
  if (built_.valid() && built_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) take_built();
  take_frame(player_->tick(seconds));
  count_steps();
  pace_.advance(seconds, frame_ ? frame_->time - before : 0);
  if (const auto error = probe_.advance(seconds, frame_, engines_)) take_force_error(error->errors);
}

void BodiesScene::film(double seconds) {
  player_->set_patient(true);
  advance(seconds);
  player_->set_patient(false);
}

void BodiesScene::go_to(double seconds) {
  if (built_.valid()) take_built();
  const auto step = static_cast<std::int64_t>(std::llround(seconds * plot_.steps_a_second));
  // Take the last steps one by one, to fill the graphs.
  const auto seen = static_cast<std::int64_t>(Series::length);
  for (std::int64_t each = std::max<std::int64_t>(0, step - seen); each <= step; ++each)
    take_frame(runner_->go_to(each).get());
  player_->scrub(step);
  if (const auto error = ForceErrorProbe::measured(*frame_, *engines_)) take_force_error(*error);
}

void BodiesScene::upload() {
  if (drawn_ == frame_) return;
  const auto steady = bodies::steady_bodies(frame_->labels, look_, steady_);
  try {
    bodies_ = drawn_bodies(*frame_, *steady);
  } catch (const Error&
               error) {  // the device was lost: the last picture stays until the scene has been made again
    log::warning("{}", error.what());
    frame_ = drawn_;
    return;
  }
  points_.set_positions(bodies_.positions);
  if (steady != steady_) points_.set_masses(steady->volumes.empty() ? steady->masses : steady->volumes);
  if (!steady->volumes.empty() && largest_sphere_ == 0)
    largest_sphere_ = bodies::largest_sphere(bodies_.positions, first_camera_.distance);
  points_.set_values(steady->distinct() ? steady->values : bodies_.values);
  points_.set_colours(steady->distinct() ? opengl::distinct_colours() : opengl::sequential_colours());
  if (steady != std::exchange(steady_, steady)) origins_ = legend_of_origins();
  drawn_ = frame_;
}

/// Legend of the origins of the drawn bodies.
Legend BodiesScene::legend_of_origins() const {
  const nbody::BodyLabels& labels = *steady_->labels;
  std::vector<bool> drawn(labels.origins.size());
  for (const std::uint32_t number : steady_->numbers) drawn[labels.origin[number]] = true;
  const auto colours = opengl::distinct_colours();
  Legend legend{.title = "Origin"};
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (!drawn[i]) continue;
    legend.names.push_back(labels.origins[i]);
    legend.colours.push_back(colours[i % colours.size()]);
  }
  return legend;
}

Marks BodiesScene::marks() const {
  Marks marks;
  if (!drawn_ || steady_->named.empty() || !drawn_->readable()) return marks;
  const Eigen::Vector3f centre = drawn_->centre.cast<float>();
  const auto in_scene = [&](const Eigen::Vector3f& place) {
    const Eigen::Vector3f there = place + centre;
    return opengl::Vector3{there.x(), there.y(), there.z()};
  };
  if (look_.orbits) {
    for (const auto& orbit : bodies::orbit_lines(*drawn_, steady_->named)) {
      auto& line = marks.lines.emplace_back();
      for (const Eigen::Vector3f& each : orbit) line.push_back(in_scene(each));
    }
  }
  if (!look_.names) return marks;
  const double unit = bodies::unit_of_spheres(*steady_, look_, largest_sphere_);
  for (const auto& [body, name] : steady_->named) {
    const auto row = std::ranges::find(steady_->numbers, body) - steady_->numbers.begin();
    if (row == std::ssize(steady_->numbers)) continue;  // it is not drawn
    const double radius =
        steady_->volumes.empty() ? 0 : unit * std::cbrt(steady_->volumes[static_cast<std::size_t>(row)]);
    marks.names.push_back({in_scene(Eigen::Vector3f::Map(&drawn_->positions.host()[3 * body])), name,
                           static_cast<float>(radius)});
  }
  std::ranges::stable_sort(marks.names, std::greater(), &Marks::Name::radius);
  return marks;
}

std::optional<Legend> BodiesScene::legend() const {
  if (!steady_) return std::nullopt;
  if (look_.colour_by == bodies::ColourBy::id) return std::nullopt;  // body numbers have no scale
  if (look_.colour_by == bodies::ColourBy::origin)
    return origins_.names.empty() ? std::nullopt : std::optional(origins_);
  const char* quantity = look_.colour_by == bodies::ColourBy::speed       ? "Speed"
                         : look_.colour_by == bodies::ColourBy::potential ? "Potential"
                                                                          : "Density";
  const auto [size, unit] = bodies::colour_unit(units_, look_.colour_by);
  return Legend{.title = fmt::format("{} [{}]", quantity, pretty_unit(unit)),
                .low = size * static_cast<double>(bodies_.range[0]),
                .high = size * static_cast<double>(bodies_.range[1]),
                .logarithmic = bodies_.logarithmic,
                .colours = opengl::sequential_colours()};
}

void BodiesScene::draw(const opengl::Eye& eye) {
  if (!frame_) return;
  upload();
  if (!frame_) return;
  opengl::Eye moved = eye;  // positions are relative to the frame's centre
  const Eigen::Vector3f centre = frame_->centre.cast<float>();
  const glm::mat4 view =
      glm::translate(glm::make_mat4(eye.view.data()), {centre.x(), centre.y(), centre.z()});
  std::copy_n(glm::value_ptr(view), moved.view.size(), moved.view.begin());
  const float height = first_camera_.picture_height();
  opengl::PointLook look;
  constexpr float light = 0.02F,
                  radius = 0.0016F;  // fractions of a picture's area and height at brightness and size 1
  look.luminosity = light * static_cast<float>(look_.brightness) * height * height;
  look.radius = radius * static_cast<float>(look_.size) * height *
                std::cbrt(50000.0F / static_cast<float>(points_.count()));
  if (!steady_->volumes.empty()) {
    const auto sphere = bodies::sphere_look(*steady_, look_, largest_sphere_);
    look.radius = sphere.radius;
    look.disc_light = sphere.disc_light;
    look.diameters = sphere.diameters;
  }
  look.values = bodies_.range;
  look.logarithmic = bodies_.logarithmic;
  points_.draw(moved, look);
}

/// A simulation that has stopped with an error counts as settled: nothing more will come.
bool BodiesScene::settled() const {
  return frame_ && !built_.valid() && (player_->arrived() || !runner_->status().error.empty());
}

bool BodiesScene::behind() const {
  constexpr double room = 1.1;  // margin for steps of varying duration
  const double steps = runner_->status().steps_per_second;
  return player_->playing() && steps > 0 && steps < room * plot_.steps_a_second * player_->clock().speed();
}

Moment BodiesScene::moment() const {
  const simulation::Recorded recorded = runner_->recorded();
  const double scale = dt() * time_.size;
  return {static_cast<double>(frame_ ? frame_->step : 0) * scale, static_cast<double>(recorded.first) * scale,
          static_cast<double>(recorded.last) * scale, units_ ? time_.name : "units of time"};
}

void BodiesScene::seek(double time) {
  player_->scrub(std::llround(time / (dt() * time_.size)));
}

std::vector<std::string> BodiesScene::caption(const Camera& camera) const {
  if (!frame_) return {plot_.title};
  const nbody::RunOptions run = options();
  const std::string how = run.integrator == nbody::Integrator::hermite  ? "Hermite"
                          : frame_->solver == nbody::SolverKind::direct ? "direct sum"
                          : frame_->solver == nbody::SolverKind::fmm    ? "fast multipole method"
                                                                        : "Barnes-Hut";
  const double intended = run.dt * plot_.steps_a_second * player_->clock().speed();
  const double pace = (pace_.known() ? pace_.a_second() : intended) * time_.size;
  const std::string time = units_ ? " " + time_.name : "";
  const std::string rate =
      player_->playing() ? fmt::format("{}{} per second", shown_reading(pace, 3), time) : "paused";
  const double steps = runner_->status().steps_per_second;
  return {
      plot_.title,
      fmt::format("{} bodies, {}: up to {} steps/s", grouped(frame_->size()), how,
                  steps < 10 ? fmt::format("{:.1f}", steps) : grouped(static_cast<std::size_t>(steps))),
      fmt::format("{}{} after the start, {}; picture height {}{}{}", shown_reading(frame_->time * time_.size),
                  time, rate, shown_reading(camera.picture_height() * length_.size, 3),
                  units_ ? " " + length_.name : "", units_ ? "" : ", in units that make G = 1")};
}

std::string BodiesScene::trouble() const {
  if (!trouble_.empty()) return trouble_;
  if (built_.valid()) return "The scene is being prepared ...";
  return runner_->status().error;
}

}  // namespace

std::unique_ptr<Scene> make_bodies_scene(const BodiesPlot& plot) {
  return std::make_unique<BodiesScene>(plot);
}

}  // namespace isolume::stage
