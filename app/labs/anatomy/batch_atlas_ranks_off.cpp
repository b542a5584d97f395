#include "app/batch/refuse_ranks.h"
#include "app/labs/anatomy/batch_atlas.h"

namespace isolume::labs::anatomy {

bool on_atlas_ranks(batch::Context& /*context*/, const std::function<void(const AtlasRanks&)>& /*work*/) {
  batch::refuse_ranks();
  return false;
}

}  // namespace isolume::labs::anatomy
