#pragma once

#include "app/fields/computed_field.h"
#include "app/workbench/contract/lab.h"

namespace isolume::fields {

/// The window of a computed field: its picture, its panel, its clock.
workbench::LabEntry lab_of(const ComputedField& field);

}  // namespace isolume::fields
