#include "app/batch/refuse_ranks.h"
#include "app/labs/nbody/batch_ranks.h"

namespace isolume::batch {

bool forces_on_ranks(Context& /*context*/, const ForcesRequest& /*request*/) {
  refuse_ranks();
  return false;
}

bool run_on_ranks(Context& /*context*/, const RunRequest& /*request*/) {
  refuse_ranks();
  return false;
}

}  // namespace isolume::batch
