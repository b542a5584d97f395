#pragma once

#include <memory>
#include <vector>

#include "core/electrostatics/potential.h"
#include "core/gaussians/wavefunction_potential.h"

namespace isolume::electrostatics {

/// How much of a potential's options there is for that of a wavefunction, which knows no medium and is exact.
struct QuantumOptions {
  PotentialUnit unit = PotentialUnit::kt_per_e;
  double temperature_kelvin = 298.15;
  dispatch::ComputeOptions compute = {};
  /// What `compute.engine` names one of (quantum_engine.h); null: the CPU's alone.
  std::shared_ptr<const dispatch::EngineRegistry<QuantumEngine>> engines = nullptr;
};

/// What of these options is a wavefunction's.
QuantumOptions quantum_options(const PotentialOptions& options);

/// On the CPU, with as many threads as the options say.
gaussians::WavefunctionPotential expand(const molecules::Wavefunction& wavefunction,
                                        const molecules::OrbitalSet& set, const QuantumOptions& options,
                                        const jobs::Progress& progress = {});

/// The potential of a wavefunction's nuclei and electrons in vacuum, at each point of a lattice, whose length unit may be any. A
/// nucleus nearer than `nearest` to a point adds nothing to it, like a charge (pair_potentials.h); electrons do.
///
/// By options.compute.engine; report.who says whose that is. The same result on any number of threads, and on any number of
/// GPUs. Throws Error, ResourceError, Cancelled.
Potential<lattice::ScalarField> quantum_potential_on(const lattice::Lattice& lattice,
                                                     const gaussians::WavefunctionPotential& wavefunction,
                                                     const QuantumOptions& options,
                                                     const jobs::Progress& progress = {});
/// Parts of such a map of at most so many bytes. Throws ResourceError where the least part does not fit.
Parts quantum_parts_of(const lattice::Lattice& lattice, std::size_t bytes);
/// The quantum_potential_on the lattice part after part, as potential_in_parts: on the CPU, with the bits that it has there in one
/// piece. Throws Error for another engine.
Potential<int> quantum_potential_in_parts(
    const lattice::Lattice& lattice, const gaussians::WavefunctionPotential& wavefunction,
    const QuantumOptions& options, const Parts& parts,
    const std::function<void(const lattice::ScalarField&, const jobs::Progress&)>& use,
    const jobs::Progress& progress = {}, KeptParts* kept = nullptr);
/// The same at places.
Potential<std::vector<double>> quantum_potential_at(const Places& places,
                                                    const gaussians::WavefunctionPotential& wavefunction,
                                                    const QuantumOptions& options,
                                                    const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
