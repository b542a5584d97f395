#include "core/volumes/line_plan.h"

#include <cmath>
#include <numbers>

namespace isolume::volumes {

bool suits_transform(int count) {
  if (count < 1) return false;
  for (const int factor : {2, 3, 5, 7}) {
    while (count % factor == 0) count /= factor;
  }
  return count == 1;
}

int next_transform_count(int count) {
  while (!suits_transform(count)) ++count;
  return count;
}

LinePlan make_line_plan(int count) {
  LinePlan plan;
  plan.count = count;
  int left = count, stride = 1;
  while (left > 1) {
    LinePlan::Pass pass;
    for (const int radix : {4, 2, 3, 5, 7}) {
      if (left % radix == 0) {
        pass.radix = radix;
        break;
      }
    }
    pass.groups = left / pass.radix;
    pass.stride = stride;
    for (int j = 0; j < pass.groups; ++j) {
      for (int k = 1; k < pass.radix; ++k) {
        const double angle = -2 * std::numbers::pi * j * k / left;
        pass.twiddles.push_back(static_cast<float>(std::cos(angle)));
        pass.twiddles.push_back(static_cast<float>(std::sin(angle)));
      }
    }
    left = pass.groups;
    stride *= pass.radix;
    plan.passes.push_back(std::move(pass));
  }
  return plan;
}

}  // namespace isolume::volumes
