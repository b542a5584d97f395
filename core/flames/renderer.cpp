#include "core/flames/renderer.h"

#include <algorithm>
#include <utility>

#include "core/base/clock.h"
#include "core/dispatch/engine_choice.h"

namespace isolume::flames {
namespace {

/// A million points: about 30 ms of one processor core.
constexpr std::int64_t first_clouds = 4;
constexpr double longest_part_seconds = 0.25;

/// Whether both show the same points.
bool same_points(const RenderRequest& a, const RenderRequest& b) {
  const auto points_of = [](const RenderRequest& request) {
    Flame flame = request.flame;
    flame.tone = {};
    flame.name.clear();
    flame.quality = 0;
    flame.view = {};
    return flame;
  };
  return a.view == b.view && a.seed == b.seed && a.compute.engine == b.compute.engine &&
         points_of(a) == points_of(b);
}

}  // namespace

void Renderer::render(const Engines& engines, const RenderRequest& request, const Publish& publish,
                      const jobs::Progress& progress) {
  const Game game = compile(request.flame, request.view, request.seed);
  if (tally_.bins.empty() || !same_points(request, last_)) {
    tally_ = {};  // its memory counts for the next one
    tally_ = Tally(request.view.width, request.view.height);
    clouds_ = 0;
    seconds_ = 0;
  }
  last_ = request;
  const std::int64_t wanted = clouds_for(request.quality, request.view);
  dispatch::Report report;
  const auto publish_now = [&] {
    const auto points = static_cast<double>(tally_.points);
    publish({.picture = tone_map(tally_, request.flame.tone, request.view, request.background, progress),
             .points = tally_.points,
             .points_per_pixel = tally_.points_per_pixel(),
             .in_view = static_cast<double>(tally_.in_view()) / points,
             .points_per_second = seconds_ > 0 ? points / seconds_ : 0,
             .finished = clouds_ >= wanted,
             .report = report});
  };
  if (clouds_ > 0) publish_now();
  while (clouds_ < wanted) {
    std::int64_t part = clouds_ == 0 ? first_clouds : clouds_;
    if (clouds_ > 0) {
      const double clouds_per_second = static_cast<double>(clouds_) / std::max(seconds_, 1e-9);
      part = std::min(part, std::max<std::int64_t>(
                                1, static_cast<std::int64_t>(longest_part_seconds * clouds_per_second)));
    }
    part = std::min(part, wanted - clouds_);
    const auto begin = std::chrono::steady_clock::now();
    try {
      report = dispatch::by_chosen_engine(
          engines, static_cast<double>(part), request.compute, [&](const Engine& engine) {
            return engine.play(game, {clouds_, part}, tally_, request.compute, progress);
          });
    } catch (...) {
      tally_ = {};  // it holds an unknown part of the clouds
      throw;
    }
    clouds_ += part;
    seconds_ += seconds_since(begin);
    progress.report(static_cast<double>(clouds_) / static_cast<double>(wanted));
    publish_now();
  }
}

Rendered render(const Renderer::Engines& engines, const RenderRequest& request,
                const jobs::Progress& progress) {
  const Game game = compile(request.flame, request.view, request.seed);
  Tally tally(request.view.width, request.view.height);
  const std::int64_t clouds = clouds_for(request.quality, request.view);
  const auto begin = std::chrono::steady_clock::now();
  auto report = dispatch::by_chosen_engine(
      engines, static_cast<double>(clouds), request.compute, [&](const Engine& engine) {
        return engine.play(game, {0, clouds}, tally, request.compute, progress.part(0, 0.9));
      });
  const double seconds = seconds_since(begin);
  engines.record(report);
  return {.picture = tone_map(tally, request.flame.tone, request.view, request.background, progress),
          .points = tally.points,
          .points_per_pixel = tally.points_per_pixel(),
          .in_view = static_cast<double>(tally.in_view()) / static_cast<double>(tally.points),
          .points_per_second = static_cast<double>(tally.points) / seconds,
          .finished = true,
          .report = std::move(report)};
}

}  // namespace isolume::flames
