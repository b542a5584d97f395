#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/batch/parameter_flags.h"
#include "app/labs/nbody/batch_render.h"
#include "app/pictures/movie_writer.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/props/points_drawing.h"
#include "core/nbody/files/trajectory.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::batch {
namespace {

using nbody::NBodySimulation;
using FramePointer = std::shared_ptr<const nbody::NBodyFrame>;

/// Bodies moment by moment; each is asked for once, in order.
struct Moments {
  std::int64_t count = 0;
  std::function<FramePointer(std::int64_t number, const jobs::Progress& progress)> frame;
};

Moments of_trajectory(const RenderOptions& options) {
  const auto trajectory = std::make_shared<const nbody::Trajectory>(options.source.file());
  const std::int64_t every = options.movie.every;
  const auto engines = engines_of_this_machine();
  const auto frame = [&options, trajectory, every, engines](std::int64_t number,
                                                            const jobs::Progress& progress) {
    nbody::InitialConditions bodies = trajectory->moment(static_cast<std::size_t>(number * every));
    const nbody::RunOptions run = suited(options.run, *options.command, bodies);
    return NBodySimulation(std::move(bodies), run, engines).frame(wanted_of(options.look), progress);
  };
  return {(static_cast<std::int64_t>(trajectory->moments()) - 1) / every + 1, frame};
}

Moments of_run(Context& context, const RenderOptions& options) {
  nbody::InitialConditions start = options.source.bodies(*options.command, context.progress.part(0, 0.02));
  const std::shared_ptr<NBodySimulation> simulation =
      simulation_of(options, std::move(start), context.progress.part(0.02, 0.02));
  const std::int64_t steps = options.steps.value_or(0), every = options.movie.every;
  const auto frame = [&options, simulation, direction = steps < 0 ? -every : every](
                         std::int64_t number, const jobs::Progress& progress) {
    if (number > 0) go_on(*simulation, options, direction, progress);
    return simulation->frame(wanted_of(options.look), progress);
  };
  return {std::abs(steps) / every + 1, frame};
}

/// One moment, as often as frames are wanted.
Moments standing_still(const Moments& moments, std::int64_t count) {
  const auto kept = std::make_shared<FramePointer>();
  return {count, [moments, kept](std::int64_t, const jobs::Progress& progress) {
            if (!*kept) *kept = moments.frame(0, progress);
            return *kept;
          }};
}

Moments moments_of(Context& context, const RenderOptions& options) {
  if (options.time) throw UsageError("--time is for a picture of one snapshot. Give --steps for a movie.");
  const bool recorded = !options.steps && !options.source.moment() && names_trajectory(options.source.file());
  Moments moments = recorded ? of_trajectory(options) : of_run(context, options);
  if (moments.count > 1) {
    if (!given(*options.command, "seconds")) return moments;
    throw UsageError(
        "--seconds sets the length of a movie only if the bodies do not move. Use --every and --fps here.");
  }
  const auto count = std::llround(options.movie.seconds * options.movie.frames_per_second);
  if (count < 1) {
    throw UsageError(
        "A movie of one snapshot would stand still. Give --steps, a trajectory, or --seconds with --turn or "
        "--sweep.");
  }
  return standing_still(moments, count);
}

/// A number of the picture from one value to another; by equal factors where that is how it is set.
class Sweep {
 public:
  Sweep(const std::string& text, parameters::ParameterSet& set) : set_(set) {
    if (text.empty()) return;
    const std::size_t equals = text.find('='), colon = text.find(':');
    if (equals == std::string::npos || colon == std::string::npos || colon < equals)
      throw UsageError(fmt::format("--sweep: expected NAME=FROM:TO, found {}.", isolume::quoted(text)));
    description_ = set_.description(text.substr(0, equals));
    if (description_.kind != parameters::Kind::real)
      throw UsageError(
          fmt::format("--sweep: {} is not a continuous number, so it cannot be swept.", description_.key));
    from_ = number(text.substr(equals + 1, colon - equals - 1));
    to_ = number(text.substr(colon + 1));
  }

  void set(double part) {
    if (description_.key.empty()) return;
    const bool by_factors = description_.scale == parameters::Scale::logarithmic;
    set_.set(description_.key,
             by_factors ? from_ * std::pow(to_ / from_, part) : from_ + (to_ - from_) * part);
  }

 private:
  double number(const std::string& text) const {
    return std::get<double>(parameters::validated(description_, parameters::parse(description_, text)));
  }

  parameters::ParameterSet& set_;
  parameters::Description description_;
  double from_ = 0, to_ = 0;
};

/// What is drawn again for each frame.
class Stage {
 public:
  explicit Stage(RenderOptions& options) : options_(options), sweep_(options.movie.sweep, options.look_set) {}

  std::vector<std::uint8_t> frame(const FramePointer& bodies, std::int64_t number, std::int64_t count) {
    sweep_.set(count > 1 ? static_cast<double>(number) / static_cast<double>(count - 1) : 0);
    const auto drawing = labs::nbody::draw_bodies({.frame = bodies,
                                                   .look = options_.look,
                                                   .extent = options_.extent,
                                                   .history = history_.frames(),
                                                   .colour_range = colour_range_,
                                                   .colours_may_widen = !options_.colour_range});
    // A colour that meant another value in each frame would flicker, and tell nothing.
    colour_range_ = drawing.points->range;
    if (history_.wants(0) && bodies != last_) history_.add(bodies);
    last_ = bodies;
    options_.extent = drawing.extent;  // of the first one from now on
    picture_.show(drawing, labs::nbody::coloured_quantity(options_.look));
    if (number == 0) {
      scene::set_camera(*renderer_, options_.camera);
      if (options_.session.empty()) picture_.look_at_followed();
    } else {
      scene::orbit_upright(*renderer_,
                           options_.movie.turn / static_cast<double>(is_loop() ? count : count - 1), 0);
    }
    return scene::rgb_from_top(*scene::render_offscreen(*renderer_, options_.image));
  }

 private:
  /// Whole turns end one frame before their start, so that a player that repeats them does not halt there.
  bool is_loop() const {
    constexpr double whole = 360;
    return std::remainder(options_.movie.turn, whole) == 0;
  }

  RenderOptions& options_;
  Sweep sweep_;
  History history_{options_.look};
  FramePointer last_;
  std::optional<std::array<float, 2>> colour_range_ = options_.colour_range;
  vtkNew<vtkRenderer> renderer_;
  labs::nbody::BodiesPicture picture_{*renderer_};
};

}  // namespace

void write_movie(Context& context, RenderOptions& options) {
  const MovieChoices& movie = options.movie;
  if (pictures::movie_kind(movie.path) != pictures::MovieKind::png_sequence)
    check_outputs(context, std::array{movie.path}, options.source.files());
  const Moments moments = moments_of(context, options);
  Stage stage(options);
  pictures::MovieWriter writer(movie.path,
                               {options.image.width, options.image.height, movie.frames_per_second});
  try {
    for (std::int64_t i = 0; i < moments.count; ++i) {
      const auto part = [&](double at) { return 0.02 + 0.98 * at / static_cast<double>(moments.count); };
      const auto now = static_cast<double>(i);
      const FramePointer bodies = moments.frame(i, context.progress.part(part(now), part(now + 0.5)));
      context.progress.check();
      context.progress.report(part(now + 0.5), fmt::format("frame {} of {}", i + 1, moments.count));
      writer.add(stage.frame(bodies, i, moments.count));
    }
    context.progress.check();
  } catch (const Cancelled&) {
    const std::filesystem::path kept = writer.finish_early();
    if (kept.empty()) throw;
    throw CancelledInPart(
        fmt::format("{} holds the first {} of {} frames. Run the command again for all of them.",
                    kept.string(), writer.frames(), moments.count));
  }
  writer.finish();
  const double seconds = static_cast<double>(moments.count) / movie.frames_per_second;
  const std::string codec = pictures::codec_of(movie.path);
  if (!options.json) {
    context.out << fmt::format("{}: {} frames of {} × {} pixels, {:.4g} s, {}\n", movie.path, moments.count,
                               options.image.width, options.image.height, seconds, codec);
    return;
  }
  print(context.out, {{"output", movie.path},
                      {"frames", moments.count},
                      {"seconds", seconds},
                      {"codec", codec},
                      {"width", options.image.width},
                      {"height", options.image.height},
                      {"remarks", json_of(context.remarks)}});
}

}  // namespace isolume::batch
