#pragma once

#include <functional>
#include <string>

#include "core/parameters/schema.h"

namespace isolume::stage {

/// Heading of parameters that take effect only when a scene starts.
inline constexpr const char* start_group = "Start";

/// ImGui's slider of a scalar of this ImGuiDataType without the number on it, which the knob covers; one that is typed after
/// Ctrl+click is seen. Whether it has changed `now`.
bool slider_without_text(const char* name, int type, void* now, const void* low, const void* high,
                         const char* format, int flags);

/// Draws sliders, boxes and lists for all relevant parameters, below the headings of their groups, in ImGui's
/// current window. `change` is called with key and value as text when one is changed; it must not throw.
void draw_parameter_sliders(
    const parameters::ParameterSet& set,
    const std::function<void(const std::string& key, const std::string& value)>& change);

}  // namespace isolume::stage
