#pragma once

#include <cstddef>
#include <functional>

#include <Eigen/Core>

#include "core/electrostatics/lattice_planes.h"
#include "core/electrostatics/sources.h"
#include "core/jobs/progress.h"
#include "core/lattice/lattice.h"

namespace isolume::electrostatics {

/// How many planes are summed for together: where parts of a lattice begin at a multiple of it, they have the same bits as
/// the lattice in one piece.
int planes_together(const PairTerms& terms);

/// Sums over pairs, `scale` times, at each point of a lattice along x, y and z: in single precision relative to the middle of
/// small tiles, which are added up in double. On the threads of TBB's arena, with the same result on any number of
/// them. Throws Cancelled.
void sum_pairs_on(const lattice::Lattice& lattice, const Bins& bins, const PairTerms& terms, double scale,
                  float* values, const jobs::Progress& progress);
/// The same for some planes, which begin at a multiple of planes_together(terms) and end at one or with the lattice; `values`
/// has theirs alone.
void sum_pairs_on(const lattice::Lattice& lattice, const LatticePlanes& planes, const Bins& bins,
                  const PairTerms& terms, double scale, float* values, const jobs::Progress& progress);

/// Layers, planes across the last axis, that devices share out begin at multiples of this: tiles end there.
inline constexpr int layers_at_once = 8;
/// The same of the layers first .. first + count - 1, to their places in `values`, on the caller's thread alone.
void sum_pairs_on_layers(const lattice::Lattice& lattice, int first, int count, const Bins& bins,
                         const PairTerms& terms, double scale, float* values, const jobs::Progress& progress);

/// The same in double precision at `count` places in angstrom, of which `place` tells each.
void sum_pairs_at(std::size_t count, const std::function<Eigen::Vector3d(std::size_t)>& place,
                  const Bins& bins, const PairTerms& terms, double scale,
                  const std::function<void(std::size_t, double)>& store, const jobs::Progress& progress);

/// At one place, on the caller's thread alone.
double sum_pairs_at(const Eigen::Vector3d& place, const Bins& bins, const PairTerms& terms, double scale);

}  // namespace isolume::electrostatics
