#include "app/stage/measurement.h"

#include <algorithm>

#include "core/base/clock.h"

namespace isolume::stage {

nlohmann::json Measurement::result() const {
  const double seconds = seconds_since(start_);
  nlohmann::json found = {
      {"seconds", seconds},
      {"steps_per_second", static_cast<double>(steps_) / seconds},
      {"pictures_per_second", static_cast<double>(pictures_.size()) / seconds},
      {"picture_ms", nullptr},
      {"processors", static_cast<double>(std::clock() - processor_start_) / CLOCKS_PER_SEC / seconds}};
  if (pictures_.empty()) return found;
  std::vector<double> sorted = pictures_;
  std::ranges::sort(sorted);
  found["picture_ms"] = {{"median", 1000 * sorted[sorted.size() / 2]}, {"longest", 1000 * sorted.back()}};
  return found;
}

}  // namespace isolume::stage
