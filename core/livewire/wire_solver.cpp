#include "core/livewire/wire_solver.h"

#include <algorithm>

namespace isolume::livewire {

namespace {

Pixel moved_inside(const CostGrid& grid, Pixel pixel) {
  return {std::clamp(pixel.x, 0, grid.width - 1), std::clamp(pixel.y, 0, grid.height - 1)};
}

Eigen::Vector2d centre(Pixel pixel) {
  return {pixel.x, pixel.y};
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
  found.points.clear();
  for (const Pixel pixel : trace_path(*grid_, *search_, to)) found.points.push_back(centre(pixel));
  return found;
}

}  // namespace isolume::livewire
