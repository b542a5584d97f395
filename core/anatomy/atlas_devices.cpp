#include "core/anatomy/atlas_devices.h"

#include <algorithm>

namespace isolume::anatomy {

double LevelPlan::seconds() const {
  double longest = 0;
  for (const Part& each : parts) {
    if (each.images > 0 && each.seconds == 0) return 0;
    longest = std::max(longest, each.seconds);
  }
  return iterations * longest;
}

std::vector<std::size_t> deal_images(std::size_t images, std::span<const double> seconds_an_image,
                                     std::span<const std::size_t> capacity) {
  std::vector<std::size_t> dealt(seconds_an_image.size());
  for (std::size_t image = 0; image < images; ++image) {
    std::size_t best = dealt.size();
    const auto end_with_it = [&](std::size_t i) {
      return static_cast<double>(dealt[i] + 1) * seconds_an_image[i];
    };
    for (std::size_t i = 0; i < dealt.size(); ++i) {
      if (dealt[i] < capacity[i] && (best == dealt.size() || end_with_it(i) < end_with_it(best))) best = i;
    }
    if (best == dealt.size()) break;
    ++dealt[best];
  }
  return dealt;
}

}  // namespace isolume::anatomy
