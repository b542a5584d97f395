#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/electrostatics/sums/grid_planes.h"
#include "core/electrostatics/sums/places.h"
#include "core/gaussians/wavefunction_potential.h"
#include "core/grid/grid.h"

namespace isolume::electrostatics {

/// The potential of a wavefunction, `scale` times its value in Eh/e. A nucleus closer than `nearest`
/// (pair_potentials.h) to a point does not contribute there.
struct QuantumProblem {
  const gaussians::WavefunctionPotential& wavefunction;
  double scale;
};

/// Points are processed in tiles, blocks of a grid with this many points along each axis: sources far from one of
/// them are far from all, and are summed together. Parts of the layers, planes across the last axis, must begin at a
/// multiple of it.
inline constexpr int quantum_block_edge = 4;

/// At each point of a grid in bohr or angstrom, which may be rotated. Runs on the threads of TBB's arena; the
/// result does not depend on their number. Throws Cancelled.
void sum_quantum_on(const grid::Grid& grid, const QuantumProblem& problem, float* values,
                    const jobs::Progress& progress);
/// The same, bit for bit, at the points of some planes, which begin at a multiple of quantum_block_edge; `values`
/// holds only these.
void sum_quantum_on(const grid::Grid& grid, const GridPlanes& planes, const QuantumProblem& problem,
                    float* values, const jobs::Progress& progress);
/// The same for the layers first .. first + count - 1, within the array `values` of all layers, on the caller's
/// thread only.
void sum_quantum_on_layers(const grid::Grid& grid, int first, int count, const QuantumProblem& problem,
                           float* values, const jobs::Progress& progress);

/// Indices of the points in an order in which neighbours are consecutive: for a small box, more of the molecule is
/// far away.
std::vector<std::size_t> neighbours_in_order(const Places& places);
/// At the points with these indices: values[i] belongs to point which[i]. As for grids: on all threads of the
/// arena, or on the caller's.
void sum_quantum_at(const Places& places, std::span<const std::size_t> which, const QuantumProblem& problem,
                    double* values, const jobs::Progress& progress);
void sum_quantum_at_some(const Places& places, std::span<const std::size_t> which,
                         const QuantumProblem& problem, double* values, const jobs::Progress& progress);

/// Estimated number of operations of these sums, from a sample of their points.
double operations_on(const grid::Grid& grid, const QuantumProblem& problem);
double operations_at(const Places& places, std::span<const std::size_t> which, const QuantumProblem& problem);

}  // namespace isolume::electrostatics
