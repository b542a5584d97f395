#pragma once

#include "app/workbench/contract/lab.h"

namespace isolume::labs::livewire {

/// The Livewire lab: contours traced in medical images.
workbench::LabEntry lab_entry();

}  // namespace isolume::labs::livewire
