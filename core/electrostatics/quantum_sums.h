#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/electrostatics/lattice_planes.h"
#include "core/electrostatics/places.h"
#include "core/gaussians/wavefunction_potential.h"
#include "core/lattice/lattice.h"

namespace isolume::electrostatics {

/// The potential of a wavefunction, `scale` times what it is in Eh/e. A nucleus nearer than `nearest` (pair_potentials.h) to a
/// point adds nothing there.
struct QuantumProblem {
  const gaussians::WavefunctionPotential& wavefunction;
  double scale;
};

/// Points are summed for in tiles, blocks of a lattice of so many points along each axis: what is far from one of them is far from
/// all, and added up together. Whoever computes some layers, planes across the last axis, begins at a multiple of it.
inline constexpr int quantum_block_edge = 4;

/// At each point of a lattice in bohr or angstrom, which may be turned. On the threads of TBB's arena, with the same result on
/// any number of them. Throws Cancelled.
void sum_quantum_on(const lattice::Lattice& lattice, const QuantumProblem& problem, float* values,
                    const jobs::Progress& progress);
/// The same, with the same bits, at the points of some planes, which begin at a multiple of quantum_block_edge; `values` has theirs
/// alone.
void sum_quantum_on(const lattice::Lattice& lattice, const LatticePlanes& planes,
                    const QuantumProblem& problem, float* values, const jobs::Progress& progress);
/// The same of the layers first .. first + count - 1, to their places in `values`, on the caller's thread alone.
void sum_quantum_on_layers(const lattice::Lattice& lattice, int first, int count,
                           const QuantumProblem& problem, float* values, const jobs::Progress& progress);

/// The numbers of places in an order in which neighbours follow each other: in a small box more of the molecule is far away.
std::vector<std::size_t> neighbours_in_order(const Places& places);
/// At the places of these numbers, values[i] at that of which[i]. As for lattices: on all threads of the arena, or on the caller's.
void sum_quantum_at(const Places& places, std::span<const std::size_t> which, const QuantumProblem& problem,
                    double* values, const jobs::Progress& progress);
void sum_quantum_at_some(const Places& places, std::span<const std::size_t> which,
                         const QuantumProblem& problem, double* values, const jobs::Progress& progress);

/// About how many operations these sums take, from some of their points.
double operations_on(const lattice::Lattice& lattice, const QuantumProblem& problem);
double operations_at(const Places& places, std::span<const std::size_t> which, const QuantumProblem& problem);

}  // namespace isolume::electrostatics
