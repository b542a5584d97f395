#include "core/volumes/resize.h"

#include <algorithm>
#include <cmath>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/volumes/gaussian.h"

namespace isolume::volumes {
namespace {

/// The old points about a new one along an axis, and the weight of the second one.
struct Neighbours {
  std::size_t first, second;
  float weight;
};
std::vector<Neighbours> neighbours(int count, int to) {
  std::vector<Neighbours> all;
  for (int i = 0; i < to; ++i) {
    const double place = std::clamp((i + 0.5) * count / to - 0.5, 0.0, count - 1.0);
    const auto first = static_cast<std::size_t>(place);
    all.push_back({first, std::min(first + 1, static_cast<std::size_t>(count - 1)),
                   static_cast<float>(place - static_cast<double>(first))});
  }
  return all;
}

void blend(const float* first, const float* second, float weight, std::span<float> result) {
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = first[i] + weight * (second[i] - first[i]);
}

/// Trilinear values at the new points, times a factor.
void interpolate(const float* volume, const Counts& counts, const Counts& to, float factor, float* result) {
  const auto along_x = neighbours(counts[0], to[0]), along_y = neighbours(counts[1], to[1]),
             along_z = neighbours(counts[2], to[2]);
  const auto width = static_cast<std::size_t>(counts[0]);
  const std::size_t area = width * static_cast<std::size_t>(counts[1]);
  using Planes = tbb::blocked_range<std::size_t>;
  handover::parallel_for(Planes(0, along_z.size()), [&](const Planes& part) {
    FieldValues plane(area), row(width);
    for (std::size_t z = part.begin(); z != part.end(); ++z) {
      float* to_row = result + z * along_y.size() * along_x.size();
      blend(volume + along_z[z].first * area, volume + along_z[z].second * area, along_z[z].weight, plane);
      for (const Neighbours& y : along_y) {
        blend(plane.data() + y.first * width, plane.data() + y.second * width, y.weight, row);
        for (const Neighbours& x : along_x)
          *to_row++ = factor * (row[x.first] + x.weight * (row[x.second] - row[x.first]));
      }
    }
  });
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
  interpolate(smooth.data(), counts, to, 1, result.data());
  return result;
}

VectorField resized(const VectorField& field, const Counts& to) {
  if (field.counts == to) return field;
  VectorField result(to);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto factor = static_cast<float>(static_cast<double>(to[axis]) / field.counts[axis]);
    interpolate(field.data(axis), field.counts, to, factor, result.data(axis));
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
