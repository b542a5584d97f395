#pragma once

/// Spheres in which the terms of a field matter.
namespace isolume::gpu {

/// A term's centre, in steps of the grid from its origin, and its range (bohr^2; negative: none, to fill up
/// the last chunk).
struct alignas(16) TermReach {
  float x;
  float y;
  float z;
  float radius_squared;
};

inline constexpr int chunk_terms = 32;

/// A box around chunk_terms consecutive terms, so that distant ones are skipped together.
struct alignas(16) Chunk {
  float low_x;
  float low_y;
  float low_z;
  float radius_squared;  ///< the largest
  float high_x;
  float high_y;
  float high_z;
  float unused;
};

}  // namespace isolume::gpu
