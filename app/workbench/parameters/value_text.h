#pragma once

#include <string>

#include "core/parameters/description.h"

namespace isolume::workbench {

/// A value for users: "0.03 bohr⁻³ᐟ²", "Spin density", "on".
std::string value_for_people(const parameters::Description& description, const parameters::Value& value);

}  // namespace isolume::workbench
