#include "app/labs/nbody/batch_render.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/batch/picture_options.h"
#include "app/batch/session_document.h"
#include "app/labs/nbody/batch_verbs.h"
#include "app/labs/nbody/session_course.h"
#include "app/labs/nbody/session_extent.h"
#include "app/pictures/movie_limits.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/files/image.h"
#include "app/scene/props/points_drawing.h"
#include "core/base/counted.h"
#include "core/base/error_text.h"
#include "core/nbody/files/trajectory.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::batch {
namespace {

using labs::nbody::BodiesPicture;
using Options = RenderOptions;

constexpr double most_steps = 9e15;  ///< that double precision counts

/// Which moment of a trajectory is drawn, and how bodies came to be where they are.
void take_moment(const nlohmann::json& state, const std::string& data, Options& options) {
  constexpr auto most = static_cast<std::int64_t>(most_steps);
  const std::int64_t step = std::clamp(state.value("step", std::int64_t{0}), -most, most);
  options.course = labs::nbody::course_of_session(state);
  options.steps = step - (options.course ? options.course->origin : 0);
  if (!names_trajectory(data) || options.source.moment()) return;
  const std::size_t last = nbody::Trajectory(data).moments() - 1;
  const auto moment = labs::nbody::moment_of_session(state);
  if (!moment) options.steps = 0;
  if (!moment && !options.movie.path.empty()) return options.steps.reset();  // which shows all of them
  options.source.choose_moment(
      std::min(moment.value_or(static_cast<std::size_t>(std::max<std::int64_t>(step, 0))), last));
}

/// Takes from a session of the window what the command line leaves open.
void take_session(Context& context, Options& options) {
  options.session = options.source.file();
  const auto session = read_session_document(context, options.session, "nbody", SessionData::optional);
  const auto& [lab, data, place] = session;
  labs::nbody::WindowLook window_look;
  parameters::StructParameters window_set(labs::nbody::window_look_schema(), window_look);
  parameters::CombinedParameters all({&options.source.scene(), &options.source.file_options(),
                                      &options.run_set, &options.look_set, &window_set});
  take_parameters(context, *options.command, options.session, session, all);
  Remarks remarks;
  if (window_look.read_out == labs::nbody::ReadOutIn::pictures)
    remarks.dropped("The read-out of speed and errors is left out: only the window shows it.");
  report(context, options.session, remarks);
  options.source.use(data);
  try {
    if (!options.steps && !options.time) take_moment(lab.state, data, options);
    options.extent = labs::nbody::extent_of_session(lab.state);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(options.session, 0,
                     fmt::format("the lab's state cannot be read: {}", error_text(error)));
  }
  if (!given(*options.command, "camera") && !lab.camera.empty()) options.camera = lab.camera;
}

/// Of a trajectory the recorded moment that is nearest to the time; nothing of anything else.
std::optional<std::size_t> nearest_moment(const std::string& file, double time) {
  if (!names_trajectory(file)) return std::nullopt;
  const std::vector<double> times = nbody::Trajectory(file).time();
  const auto nearest =
      std::ranges::min_element(times, {}, [time](double each) { return std::abs(each - time); });
  return static_cast<std::size_t>(nearest - times.begin());
}

std::int64_t steps_to(double time, double now, double dt) {
  const double steps = std::round((time - now) / dt);
  if (std::abs(steps) <= most_steps) return static_cast<std::int64_t>(steps);
  throw UsageError(
      fmt::format("--time {}: reaching it takes {:.3g} steps of {}, which is too many. Give an earlier time "
                  "or a larger --dt.",
                  time, steps, dt));
}

/// The bodies at the moment that is drawn.
std::unique_ptr<nbody::NBodySimulation> bodies_to_draw(Context& context, Options& options, History& history) {
  std::optional<std::size_t> moment;
  if (options.time) {
    if (options.steps || options.source.moment())
      throw UsageError(
          "--time, --steps and --moment each choose the snapshot to draw. Give --time alone, or leave it "
          "out.");
    moment = nearest_moment(options.source.file(), *options.time);
    if (moment) options.source.choose_moment(*moment);
  }
  nbody::InitialConditions start = options.source.bodies(*options.command, context.progress.part(0, 0.1));
  auto simulation = simulation_of(options, std::move(start), context.progress.part(0.1, 0.2));
  std::int64_t steps = options.steps.value_or(0);
  if (options.time && !moment) steps = steps_to(*options.time, simulation->time(), simulation->options().dt);
  const auto progress = context.progress.part(0.2, 0.8);
  const std::int64_t direction = steps < 0 ? -1 : 1;
  for (std::int64_t done = 0; done < std::abs(steps); ++done) {
    const auto part = [&](std::int64_t at) {
      return static_cast<double>(at) / static_cast<double>(std::abs(steps));
    };
    if (history.wants(std::abs(steps) - done))
      history.add(simulation->frame(nbody::frame_positions, progress));
    go_on(*simulation, options, direction, progress.part(part(done), part(done + 1)));
  }
  return simulation;
}

void write_picture(Context& context, Options& options) {
  check_outputs(context, std::array{options.output}, options.source.files());
  History history(options.look);
  const auto simulation = bodies_to_draw(context, options, history);
  const auto frame = simulation->frame(wanted_of(options.look), context.progress.part(0.8, 0.9));
  vtkNew<vtkRenderer> renderer;
  BodiesPicture picture(*renderer);
  picture.show(labs::nbody::draw_bodies({.frame = frame,
                                         .look = options.look,
                                         .extent = options.extent,
                                         .history = history.frames(),
                                         .colour_range = options.colour_range}),
               labs::nbody::coloured_quantity(options.look));
  scene::set_camera(*renderer, options.camera);
  if (options.session.empty()) picture.look_at_followed();
  context.progress.check();
  context.progress.report(0.9, "drawing");
  const auto image = scene::render_offscreen(*renderer, options.image);
  context.progress.check();
  scene::write_png(*image, options.image.dpi, options.output);
  // Steps count from what was read, which of a recorded run may be any snapshot.
  const bool step_is_known = frame->step > 0 || options.source.file().empty();
  if (!options.json) {
    const std::string step = step_is_known ? fmt::format("step {}, ", frame->step) : "";
    context.out << fmt::format("{}: {} at {}{}\n", options.output, counted(frame->size(), "body", "bodies"),
                               step, moment_of(*frame));
    return;
  }
  nlohmann::ordered_json json{
      {"output", options.output}, {"bodies", frame->size()},      {"step", nullptr},
      {"time", frame->time},      {"width", options.image.width}, {"height", options.image.height}};
  if (step_is_known) json["step"] = frame->step;
  json["remarks"] = json_of(context.remarks);
  if (frame->labels->box) json["scale_factor"] = frame->scale_factor();
  const scene::LightPoints& points = *picture.drawing().points;
  if (points.surface_density) {
    json["surface_density"] = {{"low", points.surface_density->front()},
                               {"high", points.surface_density->back()}};
  } else if (!points.distinct) {
    json["colours"] = {{"low", points.range[0]}, {"high", points.range[1]}};
  }
  print(context.out, json);
}

void add_colour_options(CLI::App& command, Options& options, Context& context) {
  const auto add = [&](const std::string& name, std::size_t which, const std::string& help) {
    const auto set = [&options, name, which](const std::string& text) {
      if (!options.colour_range) options.colour_range = {0, 0};
      (*options.colour_range)[which] = static_cast<float>(
          std::get<double>(parameters::parse(commands::number(name, "").description, text)));
    };
    add_option(command, context, set, commands::number(name, help).optional());
  };
  add("lowest-colour", 0,
      "Value at the low end of the colours; give --highest-colour, too. If omitted, the range fits the "
      "bodies");
  add("highest-colour", 1, "Value at the high end of the colours, in the unit of the coloured quantity");
}

/// What was given of the range of colours must make sense with the picture.
void check_colours(const Options& options) {
  if (!options.colour_range) return;
  if (given(*options.command, "lowest-colour") != given(*options.command, "highest-colour"))
    throw UsageError("--lowest-colour and --highest-colour: give both of them.");
  const auto [low, high] = *options.colour_range;
  using bodies::ColourBy;
  const ColourBy by = options.look.colour_by;
  if (options.look.surface_density || by == ColourBy::origin || by == ColourBy::id)
    throw UsageError(
        "--lowest-colour: the bodies are not coloured by a range of values. Choose another --colour-by, or "
        "leave it out.");
  if (!(low < high))
    throw UsageError(fmt::format("--lowest-colour {} must be below --highest-colour {}.", low, high));
  if (by == ColourBy::density && !(low > 0))
    throw UsageError(
        fmt::format("--lowest-colour {}: the density scale is logarithmic. Give a value above 0.", low));
}

void add_movie_options(CLI::App& command, MovieChoices& movie, Context& context) {
  add_option(command, context, &movie.path,
             commands::path("movie",
                            "Movie to write: .mp4, .webm, or DIR/%04d.png for a PNG per frame. It shows all "
                            "snapshots of a trajectory, or --steps")
                 .optional());
  add_option(
      command, context, &movie.frames_per_second,
      commands::integer("fps", "Frames per second of the movie").range(1, pictures::highest_movie_rate));
  add_option(command, context, &movie.every,
             commands::integer("every", "Steps, or snapshots of a trajectory, from one frame to the next")
                 .range(1, 1e9));
  add_option(command, context, &movie.turn,
             commands::number("turn", "Angle by which the camera turns about the vertical during the movie")
                 .unit("degrees")
                 .range(-36000, 36000));
  add_option(command, context, &movie.seconds,
             commands::number("seconds", "Length of a movie in which the bodies do not move")
                 .unit("s")
                 .range(0, pictures::longest_movie_seconds));
  add_option(
      command, context, &movie.sweep,
      commands::text("sweep", "Numeric picture option that changes during the movie, e.g. exposure=0.2:5")
          .shown_as("NAME=FROM:TO")
          .optional());
}

/// Of a picture.
void refuse_movie_options(const CLI::App& command) {
  for (const char* flag : {"fps", "every", "turn", "seconds", "sweep"}) {
    if (given(command, flag))
      throw UsageError(fmt::format("--{} is for movies only. Give --movie in place of -o.", flag));
  }
}

}  // namespace

std::unique_ptr<nbody::NBodySimulation> simulation_of(const RenderOptions& options,
                                                      nbody::InitialConditions start,
                                                      const jobs::Progress& progress) {
  nbody::RunOptions run =
      options.session.empty() ? suited(options.run, *options.command, start) : options.run;
  if (options.course) {
    parameters::StructParameters set(nbody::run_schema(), run);
    for (const auto& [key, value] : options.course->start) set.set(key, value);
  }
  auto simulation =
      std::make_unique<nbody::NBodySimulation>(std::move(start), run, engines_of_this_machine());
  if (options.course) {
    simulation->count_from(options.course->begin);
    go_to_origin(*simulation, *options.course, progress);
  }
  return simulation;
}

void go_on(nbody::NBodySimulation& simulation, const RenderOptions& options, std::int64_t steps,
           const jobs::Progress& progress) {
  if (!options.course) return simulation.advance(steps, progress);
  go_on_course(simulation, *options.course, simulation.step() + steps, progress);
}

simulation::Wanted wanted_of(const labs::nbody::NBodyLook& look) {
  simulation::Wanted wanted = nbody::frame_positions | nbody::frame_speeds;
  if (look.colour_by == bodies::ColourBy::potential) wanted |= nbody::frame_potentials;
  if (look.orbits) wanted |= nbody::frame_velocities;
  return wanted;
}

void History::add(std::shared_ptr<const nbody::NBodyFrame> frame) {
  frames_.insert(frames_.begin(), std::move(frame));
  // Of a trajectory, whose moments do not tell their steps, as many moments.
  const auto too_old = [&] {
    return std::abs(frames_.front()->step - frames_.back()->step) > look_.trail_steps;
  };
  while (frames_.size() > static_cast<std::size_t>(look_.trail_steps) + 1 || too_old()) frames_.pop_back();
}

bool names_trajectory(const std::string& file) {
  return !file.empty() && nbody::is_trajectory(std::filesystem::path(file));
}

void add_nbody_render(CLI::App& lab, Context& context) {
  auto options = std::make_shared<Options>();
  auto& command = add_verb(lab, "render", "Draw bodies as a PNG or a movie, with or without a display.");
  options->command = &command;
  options->source.add(command, context);
  add_option(command, context, &options->output,
             commands::path("output", "PNG file to write; give this or --movie").optional());
  add_option(command, context, &options->steps,
             commands::integer("steps", "Number of steps of --dt to take first; negative: backwards in time")
                 .range(-most_steps, most_steps)
                 .optional());
  add_option(
      command, context,
      [options](const std::string& text) {
        options->time = std::get<double>(parameters::parse(commands::number("time", "").description, text));
      },
      commands::number("time",
                       "Time to draw: the nearest snapshot of a trajectory; otherwise bodies are advanced to "
                       "it in steps of --dt")
          .optional());
  add_picture_options(command, options->image.width, options->image.height, options->image.dpi, context);
  add_option(
      command, context, &options->camera,
      commands::text("camera", fmt::format("{}, or px,py,pz,fx,fy,fz,ux,uy,uz (position, focal point, up) in "
                                           "the unit of length, relative to the centre of the bodies",
                                           fmt::join(scene::view_presets(), ", "))));
  add_colour_options(command, *options, context);
  add_movie_options(command, options->movie, context);
  add_flag(command, "json", options->json, "Print what was drawn as JSON");
  add_parameter_flags(command, options->run_set, context);
  add_parameter_flags(command, options->look_set, context);
  on_call(
      command, context,
      [options, &context] {
        if (options->output.empty() == options->movie.path.empty())
          throw UsageError("nbody render writes a picture (-o) or a movie (--movie). Give one of them.");
        if (options->movie.path.empty()) refuse_movie_options(*options->command);
        if (is_session(options->source.file())) take_session(context, *options);
        refuse_ignored(*options->command, context);
        check_colours(*options);
        options->movie.path.empty() ? write_picture(context, *options) : write_movie(context, *options);
      },
      Ignored::refused_by_action);
}

}  // namespace isolume::batch
