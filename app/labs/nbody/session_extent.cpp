#include "app/labs/nbody/session_extent.h"

#include <array>
#include <cmath>

namespace isolume::labs::nbody {

nlohmann::json to_json(const Extent& extent) {
  return {{"middle", std::array{extent.middle.x(), extent.middle.y(), extent.middle.z()}},
          {"radius", extent.radius},
          {"surface_density", extent.surface_density},
          {"largest_sphere", extent.largest_sphere}};
}

std::optional<Extent> extent_of_session(const nlohmann::json& state) {
  const auto found = state.find("extent");
  if (found == state.end()) return std::nullopt;
  const auto middle = found->at("middle").get<std::array<double, 3>>();
  const Extent extent{{middle[0], middle[1], middle[2]},
                      found->at("radius").get<double>(),
                      found->value("surface_density", 0.0),
                      found->value("largest_sphere", 0.0)};
  const bool usable = extent.middle.allFinite() && std::isfinite(extent.radius) && extent.radius > 0 &&
                      std::isfinite(extent.surface_density) && extent.surface_density >= 0 &&
                      std::isfinite(extent.largest_sphere) && extent.largest_sphere >= 0;
  return usable ? std::optional(extent) : std::nullopt;
}

}  // namespace isolume::labs::nbody
