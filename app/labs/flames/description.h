#pragma once

#include "core/commands/lab_description.h"

namespace isolume::labs::flames {

LabDescription description();

}  // namespace isolume::labs::flames
