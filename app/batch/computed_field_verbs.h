#pragma once

#include "app/batch/batch_lab.h"
#include "app/fields/computed_field.h"

namespace isolume::batch {

/// The verbs of a computed field: its value at a point, and `bench NAME`, which times it on its grid.
BatchLab lab_of(const fields::ComputedField& field);

}  // namespace isolume::batch
