#include "core/livewire/trace.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
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
      throw Error(fmt::format("The seed {:g},{:g} lies outside the slice of {} x {} pixels.", seed.x(),
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
  WireSolver solver(engine, grid, options);
  const std::size_t count = contour.seeds.size(), pieces = contour.closed ? count : count - 1;
  for (std::size_t i = 0; i < pieces; ++i) {
    progress.report(0.4 + 0.6 * static_cast<double>(i) / static_cast<double>(pieces), "wires");
    auto wire = solver.wire(pixel_of(contour.seeds[i]), pixel_of(contour.seeds[(i + 1) % count]), progress);
    if (wire.cost == unreached) throw Error("The region keeps the seeds apart.");
    made.cost += wire.cost / grid->units_per_one;
    contour.pieces.push_back({contours::PieceKind::wire, std::move(wire.points)});
  }
  return made;
}

}  // namespace isolume::livewire
