#pragma once

#include "app/fields/computed_field.h"

namespace isolume::labs::toy {

fields::ComputedField field();

}  // namespace isolume::labs::toy
