#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Geometry>

#include "core/base/field_values.h"
#include "core/nbody/bodies.h"
#include "core/nbody/solver.h"

namespace isolume::nbody {

/// In large pages, as walks through trees jump about in them.
template <class T>
using Paged = std::vector<T, UninitialisedAllocator<T>>;

/// Bodies in the order of Hilbert's curve. Lengths are divided by a power of 2 that brings them into [-2, 2]
/// about `centre`, masses by their sum.
struct SortedBodies {
  Paged<std::uint32_t> original;  ///< number of each among the bodies that were given
  Paged<Eigen::Vector4d> points;  ///< x, y, z, mass
  Eigen::Vector3d centre = {0, 0, 0};
  double length = 1;    ///< what a scaled length of 1 is
  double mass_sum = 1;  ///< what a scaled mass of 1 is; 1 where nothing has mass

  std::size_t size() const { return original.size(); }
  Eigen::Vector3d place(std::size_t i) const { return points[i].head<3>(); }
  double mass(std::size_t i) const { return points[i].w(); }
};

/// In scaled units.
struct Cell {
  std::uint32_t begin = 0, end = 0;  ///< its bodies
  std::uint32_t next = 0;            ///< the cell after all of those in this one
  bool leaf = true;

  double mass = 0;
  Eigen::Vector3d centre_of_mass = {0, 0, 0};  ///< the box's middle where there is no mass
  Eigen::AlignedBox3d box = {};                ///< the smallest around its bodies
  double radius = 0;                           ///< no body is farther from the centre of mass

  std::uint32_t count() const { return end - begin; }
};

/// cells[0] is all bodies, and a cell is followed by those in it. No leaf has more than `leaf_size` bodies
/// unless they are all at one place.
struct Octree {
  SortedBodies bodies;
  Paged<Cell> cells;
};

/// What bodies are numbered and scaled by: that of all bodies, where they are a part of them.
struct Extent {
  Eigen::AlignedBox3d box = {};
  double mass_sum = 0;
};
Extent extent_of(const Bodies& bodies);

/// What bodies in this box are measured from, in units of `length`: in whole lengths, and none where the origin is about as
/// near, so that places keep the digits that they differ by.
Eigen::Vector3d centre_of(const Eigen::AlignedBox3d& box, double length);

/// Without a tree; at least one body.
SortedBodies sort_bodies(const Bodies& bodies);
/// In the same units as these, but not sorted: original[i] is i.
SortedBodies in_given_order(const Bodies& bodies);

/// At least one body. The same tree whatever the number of threads (TBB's arena decides that). Adds to
/// `seconds` where the time went.
Octree build_octree(const Bodies& bodies, std::uint32_t leaf_size, ForceSeconds& seconds,
                    const jobs::Progress& progress = {});
/// The bodies lie within the extent.
Octree build_octree(const Bodies& bodies, const Extent& extent, std::uint32_t leaf_size,
                    ForceSeconds& seconds, const jobs::Progress& progress = {});

}  // namespace isolume::nbody
