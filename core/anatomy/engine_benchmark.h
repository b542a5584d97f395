#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/anatomy/fluid_engine.h"

namespace isolume::anatomy {

/// Times of an iteration of fluid registration on cubes, and of a whole registration of three levels, by one engine, or by each
/// engine but the CPU's, which benchmark() times, where `only` is empty. `iterations`: of the coarsest level. An engine that fails becomes a row with the reason.
/// [{"side", "engine", "device", "iteration": timing, "bytes_moved", "bytes_per_second", "registration_seconds", "mismatch_ratio",
/// "atlas": {"images", "all_devices": {"devices", "iteration_ms"}, and with several devices "one_device" and "same_bits"}
/// or "unavailable"}]
/// Throws Error for an engine that there is not.
nlohmann::ordered_json benchmark_engines(const std::shared_ptr<const FluidEngines>& engines,
                                         std::string_view only, const std::vector<int>& sides,
                                         const jobs::Progress& progress, int iterations = 100);
std::vector<std::string> lines_of_engines(const nlohmann::ordered_json& rows);

}  // namespace isolume::anatomy
