#include "app/fields/computed_field_lab.h"
#include "tests/app/labs/toy/description.h"

namespace isolume::labs::toy {

workbench::LabEntry lab_entry() {
  return fields::lab_of(field());
}

}  // namespace isolume::labs::toy
