#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Geometry>

#include "core/base/field_values.h"
#include "core/nbody/bodies/bodies.h"
#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

/// Uses large pages, because tree walks access memory at random.
template <class T>
using Paged = std::vector<T, UninitialisedAllocator<T>>;

/// Bodies sorted along the Hilbert curve. Lengths are divided by a power of 2 that brings them into [-2, 2] about
/// `centre`, masses by their sum.
struct SortedBodies {
  Paged<std::uint32_t> original;  ///< index of each among the given bodies
  Paged<Eigen::Vector4d> points;  ///< x, y, z, mass
  Eigen::Vector3d centre = {0, 0, 0};
  double length = 1;    ///< length of a scaled length of 1
  double mass_sum = 1;  ///< mass of a scaled mass of 1; 1 if all bodies are massless

  std::size_t size() const { return original.size(); }
  Eigen::Vector3d place(std::size_t i) const { return points[i].head<3>(); }
  double mass(std::size_t i) const { return points[i].w(); }
};

/// In scaled units.
struct Cell {
  std::uint32_t begin = 0, end = 0;  ///< its bodies
  std::uint32_t next = 0;            ///< the next cell that is not inside this one
  bool leaf = true;

  double mass = 0;
  Eigen::Vector3d centre_of_mass = {0, 0, 0};  ///< the middle of the box if there is no mass
  Eigen::AlignedBox3d box = {};                ///< bounding box of its bodies
  double radius = 0;                           ///< largest distance of a body from the centre of mass

  std::uint32_t count() const { return end - begin; }
};

/// cells[0] contains all bodies; each cell is followed by those in it (depth-first order). No leaf has more than
/// `leaf_size` bodies unless they all coincide.
struct Octree {
  SortedBodies bodies;
  Paged<Cell> cells;
};

/// Reference frame for numbering and scaling: that of all bodies, also if only some of them are given.
struct Extent {
  Eigen::AlignedBox3d box = {};
  double mass_sum = 0;
};
Extent extent_of(const Bodies& bodies);

/// Origin for bodies in this box: a multiple of `length`, or 0 if the origin is about as near, so that coordinates
/// keep their significant digits.
Eigen::Vector3d centre_of(const Eigen::AlignedBox3d& box, double length);

/// Sorts without building a tree; at least one body.
SortedBodies sort_bodies(const Bodies& bodies);
/// In the same scaled units, but not sorted: original[i] is i.
SortedBodies in_given_order(const Bodies& bodies);

/// Requires at least one body. The tree does not depend on the number of threads (set by TBB's arena). Adds the time
/// of its stages to `seconds`.
Octree build_octree(const Bodies& bodies, std::uint32_t leaf_size, ForceSeconds& seconds,
                    const jobs::Progress& progress = {});
/// The bodies must lie within the extent.
Octree build_octree(const Bodies& bodies, const Extent& extent, std::uint32_t leaf_size,
                    ForceSeconds& seconds, const jobs::Progress& progress = {});

}  // namespace isolume::nbody
