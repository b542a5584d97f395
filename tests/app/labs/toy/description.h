#pragma once

#include "core/commands/lab_description.h"

namespace isolume::labs::toy {

LabDescription description();

}  // namespace isolume::labs::toy
