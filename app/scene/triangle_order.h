#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace isolume::scene {

/// Three floats a point, three numbers a triangle (of the type that VTK has for 64 bits).
struct TriangleMesh {
  std::span<const float> points;
  std::span<const long long> triangles;
};

/// From where triangles are seen.
struct Viewpoint {
  bool parallel = false;
  Eigen::Vector3f place = Eigen::Vector3f::Zero();  ///< of the eye; where rays are parallel, their direction

  bool operator==(const Viewpoint&) const = default;
};

/// The corners of all meshes' triangles, the farthest triangle first; points are numbered on from one mesh to
/// the next. Depths are told apart to 1/16384 of their range, in which triangles keep their order. Same
/// meshes, same order, on any number of threads.
std::vector<std::uint32_t> back_to_front(std::span<const TriangleMesh> meshes, const Viewpoint& seen_from);

}  // namespace isolume::scene
