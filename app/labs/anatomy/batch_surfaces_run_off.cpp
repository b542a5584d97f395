#include "app/batch/context.h"
#include "app/labs/anatomy/batch_surfaces.h"
#include "core/base/error.h"

namespace isolume::labs::anatomy {

void run_surfaces(batch::Context& context, const SurfaceOptions&) {
  batch::need_full_program(context);
  throw Error(
      "anatomy surfaces: this program was built without pictures (ISOLUME_GUI=OFF). Build the preset release.");
}

}  // namespace isolume::labs::anatomy
