#pragma once

#include "core/commands/lab_description.h"

namespace isolume::labs::nbody {

LabDescription description();

/// What the Diagnostics panel plots, in its order; the last three are several curves together.
const std::vector<std::string>& plot_names();

}  // namespace isolume::labs::nbody
