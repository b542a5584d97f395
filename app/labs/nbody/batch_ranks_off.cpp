#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/labs/nbody/batch_ranks.h"
#include "core/base/launch.h"

namespace isolume::batch {
namespace {

/// All ranks would do the same work and write the same files.
void refuse_ranks() {
  const auto launched = launch();
  if (!launched || launched->ranks == 1) return;
  if (launched->rank > 0) throw SaidElsewhere(1);
  throw Error(
      fmt::format("This build has no MPI but was started as {} ranks. Start it without mpirun, or install "
                  "libopenmpi-dev and build again.",
                  launched->ranks));
}

}  // namespace

bool forces_on_ranks(Context& /*context*/, const ForcesRequest& /*request*/) {
  refuse_ranks();
  return false;
}

bool run_on_ranks(Context& /*context*/, const RunRequest& /*request*/) {
  refuse_ranks();
  return false;
}

}  // namespace isolume::batch
