#pragma once

#include <memory>
#include <vector>

#include "core/electrostatics/potential/potential.h"
#include "core/gaussians/wavefunction_potential.h"

namespace isolume::electrostatics {

/// The subset of options that applies to the potential of a wavefunction, which is exact and in vacuum.
struct QuantumOptions {
  PotentialUnit unit = PotentialUnit::kt_per_e;
  double temperature_kelvin = 298.15;
  dispatch::ComputeOptions compute = {};
  /// Registry that `compute.engine` selects from (quantum_engine.h); null: only the CPU.
  std::shared_ptr<const dispatch::EngineRegistry<QuantumEngine>> engines = nullptr;
};

/// The applicable part of these options.
QuantumOptions quantum_options(const PotentialOptions& options);

/// On the CPU, with the number of threads in the options.
gaussians::WavefunctionPotential expand(const molecules::Wavefunction& wavefunction,
                                        const molecules::OrbitalSet& set, const QuantumOptions& options,
                                        const jobs::Progress& progress = {});

/// The potential of a wavefunction's nuclei and electrons in vacuum, at each point of a grid, whose length unit
/// may be any. A nucleus closer than `nearest` to a point does not contribute there, like a charge
/// (pair_potentials.h); electrons do.
///
/// Computed by options.compute.engine; see report.who. The result does not depend on the number of threads or GPUs.
/// Throws Error, ResourceError, Cancelled.
Potential<grid::ScalarField> quantum_potential_on(const grid::Grid& grid,
                                                  const gaussians::WavefunctionPotential& wavefunction,
                                                  const QuantumOptions& options,
                                                  const jobs::Progress& progress = {});
/// Parts of such a map of at most this many bytes. Throws ResourceError where the smallest part does not fit.
Parts quantum_parts_of(const grid::Grid& grid, std::size_t bytes);
/// The result of quantum_potential_on part by part, as potential_in_parts: on the CPU, bitwise the same as in one
/// piece. Throws Error for another engine.
Potential<int> quantum_potential_in_parts(
    const grid::Grid& grid, const gaussians::WavefunctionPotential& wavefunction,
    const QuantumOptions& options, const Parts& parts,
    const std::function<void(const grid::ScalarField&, const jobs::Progress&)>& use,
    const jobs::Progress& progress = {}, KeptParts* kept = nullptr);
/// The same at given points.
Potential<std::vector<double>> quantum_potential_at(const Places& places,
                                                    const gaussians::WavefunctionPotential& wavefunction,
                                                    const QuantumOptions& options,
                                                    const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
