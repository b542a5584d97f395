#pragma once

#include "core/commands/lab_description.h"

namespace isolume::labs::orbitals {

LabDescription description();

}  // namespace isolume::labs::orbitals
