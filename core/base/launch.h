#pragma once

#include <optional>

namespace isolume {

/// One of several processes that a launcher (mpirun, srun) has started as one program.
struct Launch {
  int rank = 0;   ///< counts from 0
  int ranks = 1;  ///< number of processes
};

/// Reads the launcher's environment variables: those of Open MPI, of Slurm by PMIx, or of other launchers by
/// PMI. Empty without a launcher.
std::optional<Launch> launch();

}  // namespace isolume
