#include "core/livewire/wire_solver.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/livewire/on_edge.h"
#include "core/livewire/polyline.h"
#include "core/livewire/search_area.h"

namespace isolume::livewire {

namespace {

Pixel moved_inside(const CostGrid& grid, Pixel pixel) {
  return {std::clamp(pixel.x, 0, grid.width - 1), std::clamp(pixel.y, 0, grid.height - 1)};
}

Eigen::Vector2d centre(Pixel pixel) {
  return {pixel.x, pixel.y};
}

contours::Polyline centres(const std::vector<Pixel>& path) {
  contours::Polyline points;
  points.reserve(path.size());
  for (const Pixel pixel : path) points.push_back(centre(pixel));
  return points;
}

std::vector<Pixel> pixels_of(const contours::Polyline& points) {
  std::vector<Pixel> pixels(points.size());
  std::ranges::transform(points, pixels.begin(), pixel_of);
  return pixels;
}

/// Whether more than a quarter of a wire lies away from the other one: less is the way to the pointer.
bool jumps(std::vector<Pixel> wire, std::vector<Pixel> shown) {
  std::ranges::sort(wire);
  std::ranges::sort(shown);
  std::vector<Pixel> beside;
  std::ranges::set_difference(wire, shown, std::back_inserter(beside));
  return beside.size() * 4 > wire.size();
}

/// `shown` up to its pixel nearest to `to`, then the cheapest path from there within the pixels about `to`; empty if
/// `to` is far away.
std::vector<Pixel> path_along(const std::vector<Pixel>& shown, Pixel to,
                              const std::shared_ptr<const CostGrid>& grid, const Rectangle& region) {
  constexpr int reach_px = 8;
  const Rectangle about{to.x - 2 * reach_px, to.y - 2 * reach_px, 4 * reach_px + 1, 4 * reach_px + 1};
  SearchOptions options;
  options.region = region.empty() ? about : common(about, region);
  const auto distance = [&](Pixel pixel) { return std::hypot(pixel.x - to.x, pixel.y - to.y); };
  const auto nearest = std::ranges::min_element(shown, {}, distance);
  if (nearest == shown.end() || distance(*nearest) > reach_px) return {};
  if (!grid->contains(*nearest) || !options.region.contains(*nearest)) return {};
  const auto search = make_cpu_engine()->start(grid, *nearest, options);
  search->settle(to);
  std::vector<Pixel> path(shown.begin(), nearest + 1);
  for (const Pixel pixel : trace_path(*grid, *search, to)) {
    path.erase(std::ranges::find(path, pixel), path.end());  // removes spurs, there and back
    path.push_back(pixel);
  }
  return path;
}

}  // namespace

std::vector<Pixel> pixels_beside(const Polylines& lines) {
  std::vector<Pixel> pixels;
  const auto add = [&](const Eigen::Vector2d& place) {
    const Pixel centre = pixel_of(place);
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) pixels.push_back({centre.x + dx, centre.y + dy});
    }
  };
  for (const auto& line : lines) {
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      const Eigen::Vector2d way = line[i + 1] - line[i];
      const double parts = std::max(1.0, std::ceil(way.lpNorm<Eigen::Infinity>()));
      for (double part = 0; part < parts; ++part) add(line[i] + part / parts * way);
    }
    if (!line.empty()) add(line.back());
  }
  std::ranges::sort(pixels);
  pixels.erase(std::ranges::unique(pixels).begin(), pixels.end());
  return pixels;
}

bool runs_along(const contours::Polyline& wire, const std::vector<Pixel>& pixels) {
  // A wire leaves a seed on the edge by which the last one arrived, and crosses the band of three pixels obliquely.
  constexpr double free_px = 6;
  constexpr std::size_t most_shared = 6;
  std::size_t shared = 0;
  for (const auto& point : wire) {
    if ((point - wire.front()).norm() <= free_px || (point - wire.back()).norm() <= free_px) continue;
    shared += std::ranges::binary_search(pixels, pixel_of(point)) ? 1 : 0;
  }
  return shared > most_shared;
}

WireSolver::WireSolver(const Engine& engine, std::shared_ptr<const CostGrid> grid, SearchOptions options,
                       const Features* features)
    : engine_(engine),
      options_(std::move(options)),
      features_(features),
      free_{std::move(grid), {}, nullptr} {}

WireSolver::Wire WireSolver::placed(Wire wire) const {
  if (features_ != nullptr && wire.cost != unreached)
    wire.points = on_edge(*features_, std::move(wire.points));
  return wire;
}

WireSolver::Wire WireSolver::wire(Pixel from, Pixel to, const Polylines& traced,
                                  const jobs::Progress& progress) {
  return placed(find(from, to, traced, progress).wire);
}

WireSolver::Found WireSolver::find(Pixel from, Pixel to, const Polylines& traced,
                                   const jobs::Progress& progress) {
  from = moved_inside(grid(), from);
  to = moved_inside(grid(), to);
  const auto allowed = [&](Pixel pixel) {
    return options_.region.empty() || options_.region.contains(pixel);
  };
  if (!allowed(from) || !allowed(to)) return {{.points = {centre(from), centre(to)}}, &free_};
  Wire found = cheapest(free_, from, to, progress);
  set_traced(traced);
  if (!runs_along(found.points, beside_traced_)) return {std::move(found), &free_};
  if (apart_.grid == nullptr) {
    auto dear = std::make_shared<CostGrid>(grid());
    make_dear(*dear, beside_traced_);
    apart_.grid = std::move(dear);
  }
  return {cheapest(apart_, from, to, progress), &apart_};
}

WireSolver::Wire WireSolver::cheapest(Paths& paths, Pixel from, Pixel to, const jobs::Progress& progress) {
  if (paths.search == nullptr || paths.seed != from) {
    paths.search = engine_.start(paths.grid, from, options_);
    paths.seed = from;
  }
  const std::uint32_t cost = paths.search->settle(to, progress);
  return {centres(trace_path(*paths.grid, *paths.search, to)), cost};
}

void WireSolver::set_traced(const Polylines& traced) {
  if (traced == traced_) return;
  traced_ = traced;
  beside_traced_ = pixels_beside(traced);
  apart_ = {};
}

WireSolver::Wire WireSolver::live_wire(Pixel from, Pixel to, const contours::Polyline& shown,
                                       const Polylines& traced, const jobs::Progress& progress) {
  auto [cheapest, paths] = find(from, to, traced, progress);
  const auto drawn = pixels_of(shown);
  if (cheapest.cost == unreached || !jumps(pixels_of(cheapest.points), drawn))
    return placed(std::move(cheapest));
  const auto path = path_along(drawn, moved_inside(grid(), to), paths->grid, options_.region);
  if (path.empty() || path.front() != paths->seed) return placed(std::move(cheapest));
  // Nothing if the graph was replaced for other costs in the meantime.
  const auto cost = path_cost(*paths->grid, path);
  if (!cost || *cost * 50 > std::uint64_t{cheapest.cost} * 51) return placed(std::move(cheapest));
  return placed({centres(path), static_cast<std::uint32_t>(*cost)});
}

}  // namespace isolume::livewire
