#include "core/surfaces/case_table.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace isolume::surfaces {
namespace {

using Edges = std::vector<std::uint8_t>;
constexpr int edge_count = 12;
constexpr int none = -1;

/// The edge between two neighbouring corners.
int edge_between(int a, int b) {
  const int from = a & b;
  const int x = from & 1;
  const int y = from >> 1 & 1;
  const int z = from >> 2 & 1;
  switch (a ^ b) {
    case 1:
      return y + 2 * z;
    case 2:
      return 4 + x + 2 * z;
    default:
      return 8 + x + 2 * y;
  }
}

/// The corners of the face where coordinate `axis` is `side`, counter-clockwise seen from outside the cell.
std::array<int, 4> corners_of_face(int axis, int side) {
  const int own = side << axis;
  const int u = 1 << (axis + 1) % 3;
  const int v = 1 << (axis + 2) % 3;
  if (side == 1) return {own, own | u, own | u | v, own | v};
  return {own, own | v, own | u | v, own | u};
}

/// The faces that an edge lies in, bit 2 * axis + side for each.
unsigned faces_of_edge(int edge) {
  unsigned faces = 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      const auto corners = corners_of_face(axis, side);
      for (int i = 0; i < 4; ++i) {
        if (edge_between(corners[i], corners[(i + 1) % 4]) == edge) faces |= 1U << (2 * axis + side);
      }
    }
  }
  return faces;
}

/// For each edge that the surface crosses, the next one along its boundary. On each face every run of corners
/// above the isovalue is cut off separately: a face with two opposite corners above is always cut in this one
/// of the two possible ways.
std::array<int, edge_count> boundary(unsigned above) {
  std::array<int, edge_count> next;
  next.fill(none);
  const auto is_above = [&](int corner) { return (above >> corner & 1U) != 0; };
  for (int face = 0; face < 6; ++face) {
    const auto corners = corners_of_face(face / 2, face % 2);
    for (int i = 0; i < 4; ++i) {
      const int before = corners[(i + 3) % 4];
      if (is_above(before) || !is_above(corners[i])) continue;
      int last = i;
      while (is_above(corners[(last + 1) % 4])) ++last;
      next.at(edge_between(before, corners[i])) = edge_between(corners[last % 4], corners[(last + 1) % 4]);
    }
  }
  return next;
}

/// Cuts a polygon into triangles whose inner sides lie in no face of the cell. Returns false if that is
/// impossible.
bool triangulate(const Edges& polygon, Edges& triangles) {
  const std::size_t n = polygon.size();
  if (n == 3) {
    triangles.insert(triangles.end(), polygon.begin(), polygon.end());
    return true;
  }
  for (std::size_t ear = 0; ear < n; ++ear) {
    const auto before = polygon[(ear + n - 1) % n];
    const auto after = polygon[(ear + 1) % n];
    if ((faces_of_edge(before) & faces_of_edge(after)) != 0) continue;
    Edges rest = polygon;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(ear));
    const std::size_t size = triangles.size();
    triangles.insert(triangles.end(), {before, polygon[ear], after});
    if (triangulate(rest, triangles)) return true;
    triangles.resize(size);
  }
  return false;
}

CellCase make_case(unsigned above) {
  auto next = boundary(above);
  Edges triangles;
  for (int first = 0; first < edge_count; ++first) {
    Edges polygon;
    for (int edge = first; next.at(edge) != none;) {
      polygon.push_back(static_cast<std::uint8_t>(edge));
      const int following = next.at(edge);
      next.at(edge) = none;
      edge = following;
    }
    if (!polygon.empty() && !triangulate(polygon, triangles)) {
      throw std::logic_error("A cell's surface cannot be cut into triangles.");
    }
  }
  CellCase result;
  if (triangles.size() > std::size(result.edges)) throw std::logic_error("A cell has too many triangles.");
  result.triangles = static_cast<std::uint8_t>(triangles.size() / 3);
  std::copy(triangles.begin(), triangles.end(), std::begin(result.edges));
  return result;
}

}  // namespace

CaseTable make_case_table() {
  CaseTable table;
  for (unsigned above = 0; above < table.size(); ++above) table[above] = make_case(above);
  return table;
}

}  // namespace isolume::surfaces
