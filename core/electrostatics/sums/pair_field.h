#pragma once

#include <cstddef>
#include <functional>

#include <Eigen/Core>

#include "core/electrostatics/sums/grid_planes.h"
#include "core/electrostatics/sums/sources.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Number of planes that are computed together: parts of a grid that begin at a multiple of it are bitwise the
/// same as in the grid in one piece.
int planes_together(const PairTerms& terms);

/// Sums over pairs, times `scale`, at each point of a grid along x, y and z: in single precision relative to the
/// centre of small tiles, accumulated in double. Runs on the threads of TBB's arena; the result does not depend on
/// their number. Throws Cancelled.
void sum_pairs_on(const grid::Grid& grid, const Bins& bins, const PairTerms& terms, double scale,
                  float* values, const jobs::Progress& progress);
/// The same for some planes, which begin at a multiple of planes_together(terms) and end at one or with the grid;
/// `values` holds only these.
void sum_pairs_on(const grid::Grid& grid, const GridPlanes& planes, const Bins& bins, const PairTerms& terms,
                  double scale, float* values, const jobs::Progress& progress);

/// Layers, planes across the last axis, are divided among devices at multiples of this, which are tile boundaries.
inline constexpr int layers_at_once = 8;
/// The same for the layers first .. first + count - 1, within the array `values` of all layers, on the caller's
/// thread only.
void sum_pairs_on_layers(const grid::Grid& grid, int first, int count, const Bins& bins,
                         const PairTerms& terms, double scale, float* values, const jobs::Progress& progress);

/// The same in double precision at `count` points in angstrom, given by `place`.
void sum_pairs_at(std::size_t count, const std::function<Eigen::Vector3d(std::size_t)>& place,
                  const Bins& bins, const PairTerms& terms, double scale,
                  const std::function<void(std::size_t, double)>& store, const jobs::Progress& progress);

/// At one point, on the caller's thread only.
double sum_pairs_at(const Eigen::Vector3d& place, const Bins& bins, const PairTerms& terms, double scale);

}  // namespace isolume::electrostatics
