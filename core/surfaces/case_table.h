#pragma once

#include <array>
#include <cstdint>

namespace isolume::surfaces {

/// The triangles of one cell. Its corner (x, y, z), each 0 or 1, is number x + 2y + 4z. Its edge from (0, u,
/// v) along x is number u + 2v, from (u, 0, v) along y 4 + u + 2v, from (u, v, 0) along z 8 + u + 2v.
struct CellCase {
  std::uint8_t triangles = 0;
  std::uint8_t edges[15] = {};  ///< three per triangle: the edges of its corners
};
static_assert(sizeof(CellCase) == 16);  // one load

/// Indexed by the corners at or above the isovalue, bit c for corner c. Triangles run counter-clockwise seen
/// from below the isovalue, in right-handed coordinates. Cells that share a face cut it alike, and no
/// triangle has a side within a face other than such a cut: the surface is closed except at the grid's own
/// faces.
using CaseTable = std::array<CellCase, 256>;
CaseTable make_case_table();

}  // namespace isolume::surfaces
