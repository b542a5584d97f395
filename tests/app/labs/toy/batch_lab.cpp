#include "app/batch/computed_field_verbs.h"
#include "tests/app/labs/toy/description.h"

namespace isolume::labs::toy {

/// `isolume-batch toy`.
batch::BatchLab batch_lab() {
  return batch::lab_of(field());
}

}  // namespace isolume::labs::toy
