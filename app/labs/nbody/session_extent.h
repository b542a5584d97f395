#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "app/labs/nbody/bodies_picture.h"

namespace isolume::labs::nbody {

/// Where the camera of a session stands is told from the middle of what was seen at first: both are kept.
nlohmann::json to_json(const Extent& extent);
/// Nothing where the session does not tell. Throws nlohmann::json::exception.
std::optional<Extent> extent_of_session(const nlohmann::json& state);

}  // namespace isolume::labs::nbody
