#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace isolume::scene {

/// Three floats per point, three numbers per triangle (of VTK's 64-bit type).
struct TriangleMesh {
  std::span<const float> points;
  std::span<const long long> triangles;
};

/// The point from which triangles are seen.
struct Viewpoint {
  bool parallel = false;
  Eigen::Vector3f place = Eigen::Vector3f::Zero();  ///< of the eye; for parallel rays, their direction

  bool operator==(const Viewpoint&) const = default;
};

/// The corners of all meshes' triangles, the farthest triangle first; point numbers continue from one mesh to
/// the next. Depths are resolved to 1/16384 of their range; triangles of equal depth keep their order. The
/// result is the same on any number of threads.
std::vector<std::uint32_t> back_to_front(std::span<const TriangleMesh> meshes, const Viewpoint& seen_from);

}  // namespace isolume::scene
