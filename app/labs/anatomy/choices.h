#pragma once

#include "core/anatomy/alignment.h"
#include "core/parameters/schema.h"

namespace isolume::labs::anatomy {

/// show, squares.
const parameters::Schema<isolume::anatomy::Comparison>& comparison_schema();

}  // namespace isolume::labs::anatomy
