#pragma once

#include <cstddef>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/simulation/course.h"

namespace isolume::labs::nbody {

/// What was done to a run on its way, for a session.
nlohmann::json to_json(const simulation::Course& course);
/// Nothing where the session does not tell. All keys are those of a run (run_schema), values are allowed one by one, and
/// steps come in their order. Throws Error, nlohmann::json::exception.
std::optional<simulation::Course> course_of_session(const nlohmann::json& state);

/// From which moment of a trajectory a session's run goes on, the last one at most; nothing: the recording itself is shown.
/// Sessions of before there was a choice went on from the last one.
std::optional<std::size_t> moment_of_session(const nlohmann::json& state);

}  // namespace isolume::labs::nbody
