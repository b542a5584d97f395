#include "core/surfaces/case_table.h"

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace isolume::surfaces {
namespace {

using Corner = std::array<int, 3>;

/// The two ends of an edge, by CellCase's rule.
std::pair<Corner, Corner> ends(int edge) {
  const int axis = edge / 4;
  Corner begin{};
  begin.at(axis == 0 ? 1 : 0) = edge & 1;
  begin.at(axis == 2 ? 1 : 2) = edge >> 1 & 1;
  Corner end = begin;
  end.at(axis) = 1;
  return {begin, end};
}

bool is_above(unsigned above, const Corner& corner) {
  return (above >> (corner[0] + 2 * corner[1] + 4 * corner[2]) & 1U) != 0;
}

/// The faces (axis, side) that an edge lies in.
std::set<std::pair<int, int>> faces(int edge) {
  const auto [begin, end] = ends(edge);
  std::set<std::pair<int, int>> found;
  for (int axis = 0; axis < 3; ++axis) {
    if (begin.at(axis) == end.at(axis)) found.insert({axis, begin.at(axis)});
  }
  return found;
}

bool share_a_face(int a, int b) {
  for (const auto& face : faces(a)) {
    if (faces(b).contains(face)) return true;
  }
  return false;
}

using Side = std::pair<int, int>;
/// How often each directed side occurs among a cell's triangles.
std::map<Side, int> sides(const CellCase& cell) {
  std::map<Side, int> count;
  for (int t = 0; t < cell.triangles; ++t) {
    for (int k = 0; k < 3; ++k) ++count[{cell.edges[3 * t + k], cell.edges[3 * t + (k + 1) % 3]}];
  }
  return count;
}

TEST(CaseTable, VerticesLieOnExactlyTheCrossedEdges) {
  const auto table = make_case_table();
  for (unsigned above = 0; above < table.size(); ++above) {
    const std::set<int> used(table[above].edges, table[above].edges + 3 * table[above].triangles);
    for (int edge = 0; edge < 12; ++edge) {
      const auto [begin, end] = ends(edge);
      EXPECT_EQ(used.contains(edge), is_above(above, begin) != is_above(above, end))
          << "case " << above << ", edge " << edge;
    }
  }
}

TEST(CaseTable, InnerSidesMeetAndOuterSidesCutTheFaces) {
  const auto table = make_case_table();
  for (unsigned above = 0; above < table.size(); ++above) {
    const auto count = sides(table[above]);
    std::map<int, int> outgoing;
    for (const auto& [side, times] : count) {
      EXPECT_EQ(times, 1) << "case " << above;
      const bool inner = count.contains({side.second, side.first});
      EXPECT_NE(inner, share_a_face(side.first, side.second)) << "case " << above;
      if (!inner) ++outgoing[side.first];
    }
    // Each vertex begins one outer side: the boundary is made of closed polygons through all of them.
    const std::set<int> used(table[above].edges, table[above].edges + 3 * table[above].triangles);
    EXPECT_EQ(outgoing.size(), used.size()) << "case " << above;
    for (const auto& [edge, times] : outgoing) EXPECT_EQ(times, 1) << "case " << above << ", edge " << edge;
  }
}

TEST(CaseTable, CellsThatShareAFaceCutItAlike) {
  const auto table = make_case_table();
  for (int axis = 0; axis < 3; ++axis) {
    for (unsigned low = 0; low < table.size(); ++low) {
      for (unsigned high = 0; high < table.size(); ++high) {
        // Whether the upper face of one cell is the lower of the other.
        bool neighbours = true;
        for (int corner = 0; corner < 8; ++corner) {
          if ((corner >> axis & 1) != 0) {
            neighbours = neighbours && (low >> corner & 1U) == (high >> (corner - (1 << axis)) & 1U);
          }
        }
        if (!neighbours) continue;
        const auto on_face = [axis](const CellCase& cell, int face_side) {
          std::set<Side> found;
          for (const auto& [side, times] : sides(cell)) {
            const auto face = std::pair(axis, face_side);
            if (faces(side.first).contains(face) && faces(side.second).contains(face)) found.insert(side);
          }
          return found;
        };
        std::set<Side> seen_from_high;
        for (const auto& [from, to] : on_face(table[high], 0)) {
          // The same edge as the cell below calls it: its begin is one step further along the axis.
          const auto in_low = [axis](int edge) {
            const bool first_of_two = axis == 0 || (axis == 1 && edge / 4 == 0);
            return edge + (first_of_two ? 1 : 2);
          };
          seen_from_high.insert({in_low(to), in_low(from)});
        }
        ASSERT_EQ(on_face(table[low], 1), seen_from_high) << "axis " << axis << ": " << low << ", " << high;
      }
    }
  }
}

}  // namespace
}  // namespace isolume::surfaces
