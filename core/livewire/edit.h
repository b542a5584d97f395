#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/contours/contour.h"
#include "core/livewire/cost_grid.h"
#include "core/livewire/costs.h"
#include "core/livewire/polyline.h"

namespace isolume::livewire {

/// Finds the wire between two pixels beside what is traced, as WireSolver::wire does.
using FindWire = std::function<contours::Polyline(Pixel from, Pixel to, const Polylines& traced)>;

/// Changes of a traced contour. Only the pieces that touch the changed seed are found anew; freehand and
/// straight pieces there become wires, but for a piece moved as a whole. Each throws Error for a locked
/// contour or an index that is none.

/// To the pixel at `to`. An outline in one piece (an import, a lasso) gets seeds first, as in `resnap`.
contours::Contour move_seed(contours::Contour contour, std::size_t seed, const Eigen::Vector2d& to,
                            const FindWire&);
/// On the piece, at its point nearest to `place` (one of a wire's own points). The outline stays as it is.
/// Throws Error where there is a seed already.
contours::Contour insert_seed(contours::Contour contour, std::size_t piece, const Eigen::Vector2d& place);
/// Down to two seeds (three of closed contours).
contours::Contour delete_seed(contours::Contour contour, std::size_t seed, const FindWire&);
contours::Contour move_contour(contours::Contour contour, const Eigen::Vector2d& by);
/// To another slice along the same axis, each seed snapped to the strongest edge within the radius, all wire
/// pieces found anew there; other pieces go with their ends. Seeds that meet become one. Keeps label and
/// name, loses its id.
contours::Contour copy_to_slice(contours::Contour contour, images::SliceId slice, const Features& features,
                                double snap_radius_px, const FindWire&);
/// All seeds snapped and all wire pieces found anew; other pieces go with their ends. An outline in one piece
/// (an import, a lasso) gets seeds first, and its pieces become wires, as those of suggestions do.
contours::Contour resnap(contours::Contour contour, const Features& features, double snap_radius_px,
                         const FindWire&);

/// What is under a pointer, within `radius_px`: seeds before outlines, nearer ones first.
struct Hit {
  std::uint64_t contour = 0;
  std::optional<std::size_t> seed;
  std::size_t piece = 0;
};
std::optional<Hit> hit(const std::vector<std::shared_ptr<const contours::Contour>>& contours,
                       const Eigen::Vector2d& place, double radius_px);

}  // namespace isolume::livewire
