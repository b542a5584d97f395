#include "app/batch/batch_lab.h"

#include "app/labs/atlas/description.h"

namespace isolume::labs::atlas {

/// The lab's verb is `isolume-batch anatomy atlas`.
batch::BatchLab batch_lab() {
  return {.description = description(), .help = {}, .add_verbs = nullptr};
}

}  // namespace isolume::labs::atlas
