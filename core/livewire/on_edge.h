#pragma once

#include "core/contours/contour.h"
#include "core/livewire/costs.h"

namespace isolume::livewire {

/// Sub-pixel position of the edge within a pixel, to 0.001 pixels: along the gradient, where the sum of the Laplacian
/// of Gaussian and the second derivative in this direction is 0. On a curved edge each of the two is displaced, in
/// opposite directions; the zero of their sum stays on the edge (Verbeek and van Vliet, IEEE PAMI 16, 726, 1994). The
/// pixel's centre where there is no edge.
Eigen::Vector2d on_edge(const Features& features, const Eigen::Vector2d& centre);
/// Applied to the points of a path between its ends.
contours::Polyline on_edge(const Features& features, contours::Polyline path);

}  // namespace isolume::livewire
