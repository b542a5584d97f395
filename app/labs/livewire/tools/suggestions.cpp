#include "app/labs/livewire/tools/suggestions.h"

#include <utility>

#include "core/contours/interpolate.h"
#include "core/livewire/edit.h"

namespace isolume::labs::livewire {

namespace science = isolume::livewire;

std::vector<contours::Contour> suggest(const contours::ContourSet& set, int label, int axis,
                                       const WireProblem& problem, double snap_radius_px,
                                       const jobs::Progress& progress) {
  constexpr double interpolated = 0.3;
  auto found =
      contours::interpolate(set, label, axis, problem.image->volume.geometry, progress.part(0, interpolated));
  for (std::size_t i = 0; i < found.size(); ++i) {
    progress.report(
        interpolated + (1 - interpolated) * static_cast<double>(i) / static_cast<double>(found.size()),
        "snapping to edges");
    const auto ground = make_ground(problem, found[i].slice, progress);
    science::WireSolver wires(*problem.engine, ground->grid, problem.search, &ground->features);
    found[i] = science::resnap(std::move(found[i]), ground->features, snap_radius_px,
                               [&](science::Pixel from, science::Pixel to, const science::Polylines& traced) {
                                 return wires.wire(from, to, traced, progress).points;
                               });
    found[i].suggestion = true;
  }
  return found;
}

}  // namespace isolume::labs::livewire
