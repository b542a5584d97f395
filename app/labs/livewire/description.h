#pragma once

#include "core/commands/lab_description.h"

namespace isolume::labs::livewire {

LabDescription description();

}  // namespace isolume::labs::livewire
