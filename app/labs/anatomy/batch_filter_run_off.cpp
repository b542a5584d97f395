#include "app/batch/context.h"
#include "app/labs/anatomy/batch_filter.h"
#include "core/base/error.h"

namespace isolume::labs::anatomy {

void run_filter(batch::Context& context, const FilterOptions&) {
  batch::need_full_program(context);
  throw Error("anatomy filter: this program was built without ITK. Build the preset release.");
}

}  // namespace isolume::labs::anatomy
