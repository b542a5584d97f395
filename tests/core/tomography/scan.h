#pragma once

#include <functional>
#include <vector>

#include "core/grid/grid.h"
#include "core/tomography/geometry.h"

namespace isolume::tomography {

/// A cone beam of 64 x 48 pixels of 3 mm, and a grid whose voxels have 2 mm, about the axis.
CircularScan small_scan(int views = 90);
grid::Grid small_grid(std::array<int, 3> dimensions = {64, 64, 40}, double spacing_mm = 2);

/// Joseph's line integral of the ray to pixel (u, v), in double precision: bilinear samples on the planes across x or
/// y.
double joseph_ray(const std::function<double(int x, int y, int z)>& volume, const grid::Grid& grid,
                  const Geometry& geometry, const View& view, int u, int v);

/// Runs with one thread alone.
void on_one_thread(const std::function<void()>& act);

}  // namespace isolume::tomography
