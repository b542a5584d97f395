#pragma once

#include "core/contours/contour.h"
#include "core/livewire/costs.h"

namespace isolume::livewire {

/// Where the edge lies within a pixel, to 0.001 pixels: along the gradient, where the Laplacian of Gaussian and the second
/// derivative in this direction add up to 0. Each of the two leaves a curved edge, to opposite sides; their sum keeps to
/// it (Verbeek and van Vliet, IEEE PAMI 16, 726, 1994). The pixel's centre where there is no edge.
Eigen::Vector2d on_edge(const Features& features, const Eigen::Vector2d& centre);
/// The points of a path between its ends.
contours::Polyline on_edge(const Features& features, contours::Polyline path);

}  // namespace isolume::livewire
