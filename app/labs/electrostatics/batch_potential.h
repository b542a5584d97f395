#pragma once

#include <optional>
#include <string>

#include "app/batch/context.h"
#include "app/labs/electrostatics/structure_input.h"
#include "app/labs/electrostatics/wavefunction_input.h"
#include "core/electrostatics/options.h"
#include "core/lattice/lattice.h"

namespace isolume::batch {

/// Of `isolume-batch electrostatics potential`.
struct PotentialArguments {
  std::string file, output, points, like, trajectory, frames;
  bool average = false;
  double spacing = 0.5, margin = 10;
  std::optional<double> memory_gb;  ///< 1e9 bytes
  StructureOptions structure;
  WavefunctionOptions wavefunction;
  bool json = false;
  electrostatics::PotentialOptions how;
  parameters::StructParameters<electrostatics::PotentialOptions> set{electrostatics::potential_schema(), how};
  const CLI::App* command = nullptr;
};

/// `box`: around the atoms, in angstrom.
lattice::Lattice lattice_of(const PotentialArguments& options, const structures::Box& box);

/// Of the wavefunction in options.file. Throws UsageError for words that say something about charges or a medium.
void quantum_potential(Context& context, const PotentialArguments& options);

}  // namespace isolume::batch
