#pragma once

#include "core/commands/lab_description.h"

namespace isolume::labs::atlas {

/// What all programs know of the lab.
LabDescription description();

}  // namespace isolume::labs::atlas
