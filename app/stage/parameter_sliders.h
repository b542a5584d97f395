#pragma once

#include <functional>
#include <string>

#include "core/parameters/schema.h"

namespace isolume::stage {

/// The heading of parameters that only matter when a scene starts.
inline constexpr const char* start_group = "Start";

/// Sliders, boxes and lists for all parameters that matter now, below the headings of their groups, in ImGui's current
/// window. `change` is called with key and value as text when a person changes one; it does not throw.
void draw_parameter_sliders(
    const parameters::ParameterSet& set,
    const std::function<void(const std::string& key, const std::string& value)>& change);

}  // namespace isolume::stage
