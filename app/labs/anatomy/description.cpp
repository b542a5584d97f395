#include "app/labs/anatomy/description.h"

namespace isolume::labs::anatomy {

LabDescription description() {
  return {.name = "anatomy",
          .title = "Anatomy",
          .summary = "Volumes that are deformed onto each other, and their averages."};
}

}  // namespace isolume::labs::anatomy
