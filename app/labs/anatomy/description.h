#pragma once

#include "core/commands/lab_description.h"

namespace isolume::labs::anatomy {

LabDescription description();

}  // namespace isolume::labs::anatomy
