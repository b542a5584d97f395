#include "core/livewire/wire_solver.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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

/// Whether more than a quarter of a wire lies beside another one: less is the way to the pointer.
bool jumps(std::vector<Pixel> wire, std::vector<Pixel> shown) {
  std::ranges::sort(wire);
  std::ranges::sort(shown);
  std::vector<Pixel> beside;
  std::ranges::set_difference(wire, shown, std::back_inserter(beside));
  return beside.size() * 4 > wire.size();
}

/// `shown` up to its pixel nearest to `to`, and the cheapest way from there within the pixels about `to`;
/// empty where `to` is far off.
std::vector<Pixel> path_along(const std::vector<Pixel>& shown, Pixel to,
                              const std::shared_ptr<const CostGrid>& grid, const Rectangle& region) {
  constexpr int reach_px = 8;
  const Rectangle about{to.x - 2 * reach_px, to.y - 2 * reach_px, 4 * reach_px + 1, 4 * reach_px + 1};
  const SearchOptions options{.region = region.empty() ? about : common(about, region)};
  const auto distance = [&](Pixel pixel) { return std::hypot(pixel.x - to.x, pixel.y - to.y); };
  const auto nearest = std::ranges::min_element(shown, {}, distance);
  if (nearest == shown.end() || distance(*nearest) > reach_px) return {};
  if (!grid->contains(*nearest) || !options.region.contains(*nearest)) return {};
  const auto search = make_cpu_engine()->start(grid, *nearest, options);
  search->settle(to);
  std::vector<Pixel> path(shown.begin(), nearest + 1);
  for (const Pixel pixel : trace_path(*grid, *search, to)) {
    path.erase(std::ranges::find(path, pixel), path.end());  // no spur, forth and back
    path.push_back(pixel);
  }
  return path;
}

}  // namespace

WireSolver::WireSolver(const Engine& engine, std::shared_ptr<const CostGrid> grid, SearchOptions options)
    : engine_(engine), grid_(std::move(grid)), options_(std::move(options)) {}

WireSolver::Wire WireSolver::wire(Pixel from, Pixel to, const jobs::Progress& progress) {
  from = moved_inside(*grid_, from);
  to = moved_inside(*grid_, to);
  Wire found{.points = {centre(from), centre(to)}};
  const auto allowed = [&](Pixel pixel) {
    return options_.region.empty() || options_.region.contains(pixel);
  };
  if (!allowed(from) || !allowed(to)) return found;
  if (search_ == nullptr || seed_ != from) {
    search_ = engine_.start(grid_, from, options_);
    seed_ = from;
  }
  found.cost = search_->settle(to, progress);
  found.points = centres(trace_path(*grid_, *search_, to));
  return found;
}

WireSolver::Wire WireSolver::live_wire(Pixel from, Pixel to, const contours::Polyline& shown,
                                       const jobs::Progress& progress) {
  Wire cheapest = wire(from, to, progress);
  const auto drawn = pixels_of(shown);
  if (cheapest.cost == unreached || !jumps(pixels_of(cheapest.points), drawn)) return cheapest;
  const auto path = path_along(drawn, moved_inside(*grid_, to), grid_, options_.region);
  if (path.empty() || path.front() != seed_) return cheapest;
  // Nothing where other costs have made another graph since.
  const auto cost = path_cost(*grid_, path);
  if (!cost || *cost * 50 > std::uint64_t{cheapest.cost} * 51) return cheapest;
  return {centres(path), static_cast<std::uint32_t>(*cost)};
}

}  // namespace isolume::livewire
