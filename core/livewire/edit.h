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

/// Finds the wire between two pixels, avoiding what is traced, as WireSolver::wire does.
using FindWire = std::function<contours::Polyline(Pixel from, Pixel to, const Polylines& traced)>;

/// Edits of a traced contour. Only the pieces that touch the changed seed are recomputed; freehand and straight
/// pieces there become wires, except for a piece moved as a whole. Each throws Error for a locked contour or an
/// invalid index.

/// Moves a seed to the pixel at `to`. An outline in one piece (an import, a lasso) gets seeds first, as in `resnap`.
contours::Contour move_seed(contours::Contour contour, std::size_t seed, const Eigen::Vector2d& to,
                            const FindWire&);
/// Inserts a seed on the piece, at its point nearest to `place` (one of a wire's own points). The outline is
/// unchanged. Throws Error where there is a seed already.
contours::Contour insert_seed(contours::Contour contour, std::size_t piece, const Eigen::Vector2d& place);
/// Deletes a seed; two seeds must remain (three for closed contours).
contours::Contour delete_seed(contours::Contour contour, std::size_t seed, const FindWire&);
contours::Contour move_contour(contours::Contour contour, const Eigen::Vector2d& by);
/// Copies to another slice along the same axis: each seed is snapped to the strongest edge within the radius, all
/// wire pieces are recomputed there, and other pieces are moved with their ends. Seeds that coincide become one.
/// Keeps label and name, but not the id.
contours::Contour copy_to_slice(contours::Contour contour, images::SliceId slice, const Features& features,
                                double snap_radius_px, const FindWire&);
/// Snaps all seeds again and recomputes all wire pieces; other pieces are moved with their ends. An outline in one
/// piece (an import, a lasso) gets seeds first, and its pieces become wires, like those of suggestions.
contours::Contour resnap(contours::Contour contour, const Features& features, double snap_radius_px,
                         const FindWire&);

/// The object under a pointer, within `radius_px`: seeds before outlines, nearer ones first.
struct Hit {
  std::uint64_t contour = 0;
  std::optional<std::size_t> seed;
  std::size_t piece = 0;
};
std::optional<Hit> hit(const std::vector<std::shared_ptr<const contours::Contour>>& contours,
                       const Eigen::Vector2d& place, double radius_px);

}  // namespace isolume::livewire
