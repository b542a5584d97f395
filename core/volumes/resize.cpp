#include "core/volumes/resize.h"

#include <algorithm>
#include <cmath>

#include "core/volumes/gaussian.h"
#include "core/volumes/warp.h"

namespace isolume::volumes {
namespace {

/// Indices of the old points at the new ones.
IndexMap index_map(const Counts& counts, const Counts& to) {
  IndexMap map;
  for (int axis = 0; axis < 3; ++axis) {
    const double ratio =
        static_cast<double>(counts[static_cast<std::size_t>(axis)]) / to[static_cast<std::size_t>(axis)];
    map.matrix(axis, axis) = ratio;
    map.offset[axis] = 0.5 * ratio - 0.5;
  }
  return map;
}

}  // namespace

FieldValues resized(std::span<const float> volume, const Counts& counts, const Counts& to) {
  FieldValues smooth(volume.begin(), volume.end());
  if (counts == to) return smooth;
  std::array<double, 3> sigma{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double ratio = static_cast<double>(counts[axis]) / to[axis];
    // Points stand for boxes of the variance 1/12, of which the old ones have theirs already; with the triangles of the
    // interpolation, this leaves a tenth of the amplitude at the new grid's highest frequency.
    if (ratio > 1) sigma[axis] = 0.7 * std::sqrt(ratio * ratio - 1);
  }
  smooth_gaussian(smooth, counts, sigma);
  FieldValues result(point_count(to));
  resample(smooth, counts, index_map(counts, to), nullptr, to, 0, result);
  return result;
}

VectorField resized(const VectorField& field, const Counts& to) {
  if (field.counts == to) return field;
  VectorField result(to);
  const IndexMap map = index_map(field.counts, to);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    resample(field.components[axis], field.counts, map, nullptr, to, 0, result.components[axis]);
    const auto factor = static_cast<float>(static_cast<double>(to[axis]) / field.counts[axis]);
    for (float& each : result.components[axis]) each *= factor;
  }
  return result;
}

std::vector<Counts> pyramid(const Counts& finest, int levels, int least) {
  std::vector<Counts> all{finest};
  for (int level = 1; level < levels; ++level) {
    Counts next = all.back();
    for (int& each : next) each = std::max((each + 1) / 2, std::min(each, least));
    if (next == all.back()) break;
    all.push_back(next);
  }
  std::ranges::reverse(all);
  return all;
}

}  // namespace isolume::volumes
