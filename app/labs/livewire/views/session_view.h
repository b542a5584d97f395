#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/contours/contour.h"
#include "core/images/volume.h"

namespace isolume::labs::livewire {

/// What a session's large view showed.
struct SessionView {
  images::SliceId slice;  ///< within the image
  std::optional<std::uint64_t> selected;
};
/// From the lab's state in a session. Throws nlohmann::json::exception where entries are of the wrong kind.
SessionView session_view(const nlohmann::json& state, const images::Geometry& geometry,
                         const contours::ContourSet& contours);

}  // namespace isolume::labs::livewire
