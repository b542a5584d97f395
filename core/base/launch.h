#pragma once

#include <optional>

namespace isolume {

/// One of several processes that a launcher (mpirun, srun) has started as one program.
struct Launch {
  int rank = 0;   ///< from 0 on
  int ranks = 1;  ///< how many there are
};

/// What the launcher says in the environment: Open MPI's, Slurm's by PMIx, or one of the others by PMI. Nothing where
/// there was none.
std::optional<Launch> launch();

}  // namespace isolume
