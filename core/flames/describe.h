#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/flames/engine.h"
#include "core/flames/renderer.h"

namespace isolume::flames {

/// {"name", "functions": [{"weight", "probability", "colour", "variations": {...}, "affine": [a b c d e f]}], "view",
/// "tone"}
nlohmann::ordered_json json_of(const Flame& flame);
/// For people, a line for each function.
std::string text_of(const Flame& flame);

/// {"width", "height", "points", "points_per_pixel", "in_view", "points_per_second", "engine"}
nlohmann::ordered_json json_of(const Rendered& rendered);
/// "12.3 million points, 38.1 million/s, CPU"
std::string text_of(const Rendered& rendered);

/// Points per second of engines and of the serial chaos game in double precision, on a flame of four functions:
/// {"points", "engines": [{"name", "description", "points_per_second", "timing"}], "serial": {...}, "first_picture":
/// {...}}.
nlohmann::ordered_json benchmark(const std::vector<const Engine*>& engines, const Flame& flame,
                                 std::int64_t clouds, const dispatch::ComputeOptions& options,
                                 const jobs::Progress& progress);

/// What benchmark() returns, for people.
std::vector<std::string> lines_of(const nlohmann::ordered_json& benchmark);

}  // namespace isolume::flames
