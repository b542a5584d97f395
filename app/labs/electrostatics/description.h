#pragma once

#include "core/commands/lab_description.h"

namespace isolume::labs::electrostatics {

LabDescription description();

}  // namespace isolume::labs::electrostatics
