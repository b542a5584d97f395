#include "app/batch/refuse_ranks.h"

#include <fmt/format.h>

#include "app/batch/context.h"
#include "core/base/launch.h"

namespace isolume::batch {

void refuse_ranks() {
  const auto launched = launch();
  if (!launched || launched->ranks == 1) return;
  if (launched->rank > 0) throw SaidElsewhere(1);
  throw Error(
      fmt::format("This build has no MPI but was started as {} ranks. Start it without mpirun, or install "
                  "libopenmpi-dev and build again.",
                  launched->ranks));
}

}  // namespace isolume::batch
