#include "core/livewire/trace.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/contours/outlines.h"
#include "core/livewire/on_edge.h"
#include "core/livewire/polyline.h"
#include "core/livewire/tracer.h"
#include "core/livewire/wire_solver.h"

namespace isolume::livewire {

namespace {

std::vector<Eigen::Vector2d> pixels_of(const TraceRequest& request, const Features& features) {
  std::vector<Eigen::Vector2d> seeds;
  for (const auto& seed : request.seeds) {
    const Eigen::Vector2d pixel = seed.array().round();
    const bool inside =
        pixel.x() >= 0 && pixel.y() >= 0 && pixel.x() < features.width && pixel.y() < features.height;
    if (!inside) {
      throw Error(fmt::format("The seed {:g},{:g} lies outside the slice of {} × {} pixels.", seed.x(),
                              seed.y(), features.width, features.height));
    }
    const auto snapped =
        request.snap_radius_px > 0 ? snap_to_edge(features, pixel, request.snap_radius_px) : pixel;
    if (seeds.empty() || seeds.back() != snapped) seeds.push_back(snapped);
  }
  if (request.closed && seeds.size() > 1 && seeds.front() == seeds.back()) seeds.pop_back();
  const std::size_t least = request.closed ? 3 : 2;
  if (seeds.size() < least) {
    throw Error(fmt::format("{} contour needs {} seeds on different pixels, and there {} {}.",
                            request.closed ? "A closed" : "An open", least, seeds.size() == 1 ? "is" : "are",
                            seeds.size()));
  }
  return seeds;
}

std::uint64_t cost_of(const CostGrid& grid, const contours::Polyline& wire) {
  std::vector<Pixel> path(wire.size());
  std::ranges::transform(wire, path.begin(), pixel_of);
  return path_cost(grid, path).value();
}

/// Recomputes wires that run along cheaper ones. The cheap ones are on clear edges; an expensive one, where the edge
/// is faint, reaches its seed by going all the way back along them.
template <class Find>  ///< (index, traced lines) -> wire
void keep_apart(std::vector<WireSolver::Wire>& wires, const Find& find) {
  std::vector<std::size_t> order(wires.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wires[i].cost; });
  Polylines traced;
  for (const std::size_t i : order) {
    if (runs_along(wires[i].points, pixels_beside(traced))) wires[i] = find(i, traced);
    traced.push_back(wires[i].points);
  }
}

}  // namespace

Trace trace(const images::SliceImage& image, const TraceRequest& request, const Engine& engine,
            const SearchOptions& options, const jobs::Progress& progress) {
  const Features features = compute_features(image, request.costs, progress.part(0, 0.2));
  Trace made;
  contours::Contour& contour = made.contour;
  contour.slice = request.slice;
  contour.closed = request.closed;
  contour.seeds = pixels_of(request, features);
  const auto grid = std::make_shared<const CostGrid>(
      make_costs(image, features, request.costs, nullptr, progress.part(0.2, 0.4)));
  WireSolver solver(engine, grid, options, &features);
  const std::size_t count = contour.seeds.size(), pieces = contour.closed ? count : count - 1;
  const auto find = [&](std::size_t i, const Polylines& traced) {
    auto wire =
        solver.wire(pixel_of(contour.seeds[i]), pixel_of(contour.seeds[(i + 1) % count]), traced, progress);
    if (wire.cost == unreached) throw Error("The region keeps the seeds apart.");
    return wire;
  };
  std::vector<WireSolver::Wire> wires;
  for (std::size_t i = 0; i < pieces; ++i) {
    progress.report(0.4 + 0.6 * static_cast<double>(i) / static_cast<double>(pieces), "wires");
    wires.push_back(find(i, {}));
  }
  keep_apart(wires, find);
  if (request.snap_radius_px > 0) {
    for (auto& seed : contour.seeds) seed = on_edge(features, seed);
  }
  for (std::size_t i = 0; i < pieces; ++i) {
    auto& points = wires[i].points;
    made.cost += static_cast<double>(cost_of(*grid, points)) / grid->units_per_one;
    points.front() = contour.seeds[i];
    points.back() = contour.seeds[(i + 1) % count];
    contour.pieces.push_back({contours::PieceKind::wire, std::move(points)});
  }
  return made;
}

std::string warning_about(const contours::Contour& contour) {
  constexpr double least_mean_width_px = 1.5;
  if (!contour.closed) return {};
  double length = 0;
  for (const auto& piece : contour.pieces) length += length_px(piece.points);
  const double area = std::abs(contours::signed_area_px2(contour.outline()));
  if (2 * area >= least_mean_width_px * length) return {};
  return fmt::format(
      "The contour encloses next to nothing: {:.1f} pixels on a length of {:.1f}. Its pieces run next to "
      "each other; check the order of the seeds, or put more of them where the outline is faint.",
      area, length);
}

}  // namespace isolume::livewire
