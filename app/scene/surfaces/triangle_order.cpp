#include "app/scene/surfaces/triangle_order.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/handover.h"

namespace isolume::scene {
namespace {

constexpr std::size_t levels = 16384;
/// The work of one thread for about a millisecond.
constexpr std::size_t triangles_of_a_part = 60'000;

/// The depths of all points, increasing away from the eye.
struct Depths {
  std::vector<float> of_point;
  float least = std::numeric_limits<float>::max();
  float greatest = std::numeric_limits<float>::lowest();
};

using Extent = std::pair<float, float>;

Depths depths_of(std::span<const TriangleMesh> meshes, const Viewpoint& from) {
  Depths depths;
  std::size_t count = 0;
  for (const auto& mesh : meshes) count += mesh.points.size() / 3;
  depths.of_point.resize(count);
  float* out = depths.of_point.data();
  for (const auto& mesh : meshes) {
    const std::size_t points = mesh.points.size() / 3;
    const auto fill = [&](const auto& range, Extent extent) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) {
        const Eigen::Map<const Eigen::Vector3f> point(mesh.points.data() + 3 * i);
        out[i] = from.parallel ? from.place.dot(point) : (point - from.place).norm();
        extent = {std::min(extent.first, out[i]), std::max(extent.second, out[i])};
      }
      return extent;
    };
    const auto join = [](const Extent& a, const Extent& b) {
      return Extent(std::min(a.first, b.first), std::max(a.second, b.second));
    };
    std::tie(depths.least, depths.greatest) =
        handover::parallel_reduce(tbb::blocked_range<std::size_t>(0, points, triangles_of_a_part),
                                  Extent(depths.least, depths.greatest), fill, join);
    out += points;
  }
  return depths;
}

/// A part of a mesh's triangles, with the number of its first point among all.
struct Part {
  std::span<const long long> triangles;
  std::uint32_t first_point;
  std::array<std::uint32_t, levels> places;  ///< how many triangles a level has; then where the next one goes
};

std::vector<Part> parts_of(std::span<const TriangleMesh> meshes) {
  std::vector<Part> parts;
  std::uint32_t first_point = 0;
  for (const auto& mesh : meshes) {
    const std::size_t triangles = mesh.triangles.size() / 3;
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    const std::size_t count = std::clamp<std::size_t>(triangles / triangles_of_a_part, 1, threads);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = triangles * i / count;
      const std::size_t end = triangles * (i + 1) / count;
      parts.push_back({mesh.triangles.subspan(3 * begin, 3 * (end - begin)), first_point, {}});
    }
    first_point += static_cast<std::uint32_t>(mesh.points.size() / 3);
  }
  return parts;
}

}  // namespace

/// A counting sort: each part counts its triangles at each level, which gives the position of its first
/// triangle there; then each part writes its triangles.
std::vector<std::uint32_t> back_to_front(std::span<const TriangleMesh> meshes, const Viewpoint& seen_from) {
  const Depths depths = depths_of(meshes, seen_from);
  std::vector<Part> parts = parts_of(meshes);
  const float range = 3 * (depths.greatest - depths.least);
  const float scale = range > 0 ? (levels - 1) / range : 0.0F;
  const auto level_of = [&](const Part& part, std::size_t corner) {
    const float* depth = depths.of_point.data() + part.first_point;
    const auto* at = part.triangles.data() + corner;
    const float nearer = 3 * depths.greatest - (depth[at[0]] + depth[at[1]] + depth[at[2]]);
    return std::min(static_cast<std::size_t>(std::max(nearer, 0.0F) * scale), levels - 1);
  };
  const auto each_part = [&](const auto& action) {
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, parts.size(), 1), [&](const auto& some) {
      for (std::size_t i = some.begin(); i != some.end(); ++i) action(parts[i]);
    });
  };
  each_part([&](Part& part) {
    for (std::size_t c = 0; c < part.triangles.size(); c += 3) ++part.places[level_of(part, c)];
  });
  std::uint32_t total = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    for (Part& part : parts) total += std::exchange(part.places[level], total);
  }
  std::vector<std::uint32_t> corners(3 * std::size_t{total});
  each_part([&](Part& part) {
    for (std::size_t c = 0; c < part.triangles.size(); c += 3) {
      std::uint32_t* out = corners.data() + 3 * std::size_t{part.places[level_of(part, c)]++};
      for (int k = 0; k < 3; ++k)
        out[k] =
            static_cast<std::uint32_t>(part.triangles[c + static_cast<std::size_t>(k)]) + part.first_point;
    }
  });
  return corners;
}

}  // namespace isolume::scene
